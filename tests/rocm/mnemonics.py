#!/usr/bin/env python3
"""Which AMD instructions the kernels of the goldens are made of: the list that the emulator's tests are held against.

    python3 tests/rocm/mnemonics.py --fornax target/release/fornax [--chips gfx906,gfx942] [--only REGEX] [--bless]

Every case of tests/numeric is compiled for the chips, its code objects are disassembled by llvm-objdump, and their mnemonics, without
the encoding (`_e32`, `_dpp` …), compared with tests/machines/gcn/src/tests/used.txt. Prints those that are not in it, with a case each, and ends with 1;
--bless adds them. `cargo test -p fornax-gcn` then wants a test of each. With --modules DIR the modules in DIR are read instead.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import struct
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIST = os.path.join(TESTS, "machines", "gcn", "src", "tests", "used.txt")
CHIPS = "gfx900,gfx906,gfx908,gfx90a,gfx942,gfx950,gfx1030,gfx1100,gfx1200"
# 64-bit, little-endian, version 1, the OS of HSA.
ELF = b"\x7fELF\x02\x01\x01\x40"
# What code is filled up with behind its end: nobody gets there.
PADDING = {"s_code_end"}
ENCODING = re.compile(r"_(e32|e64|dpp|sdwa|e64_dpp|dpp8)$")


def images(module):
    """The code objects in a module's bytes: each ends with its section headers."""
    at = module.find(ELF)
    while at >= 0:
        (headers,) = struct.unpack_from("<Q", module, at + 40)
        size, count = struct.unpack_from("<HH", module, at + 58)
        yield module[at:at + headers + size * count]
        at = module.find(ELF, at + 4)


def mnemonics(module, objdump):
    found = set()
    for image in images(module):
        with tempfile.NamedTemporaryFile() as file:
            file.write(image)
            file.flush()
            text = subprocess.run([objdump, "-d", "--no-show-raw-insn", file.name], stdout=subprocess.PIPE, text=True, check=True).stdout
        # `v_dual_mul_f32 … :: v_dual_add_f32 …` is two.
        found.update(name for line in text.splitlines() for name in re.findall(r"^\s+([a-z]+_\w+)|:: (v_\w+)", line) for name in name if name)
    return {ENCODING.sub("", name) for name in found} - PADDING


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/release/fornax")
    p.add_argument("--chips", default=CHIPS)
    p.add_argument("--only", default="")
    p.add_argument("--modules")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--objdump", default="/usr/lib/llvm-22/bin/llvm-objdump")
    p.add_argument("--bless", action="store_true")
    a = p.parse_args()

    def compiled(folder):
        with tempfile.TemporaryDirectory() as t:
            flags = ["compile", "--quiet", "--jobs=1", "--target-backends=rocm", "--rocm-target=" + a.chips]
            subprocess.run([a.fornax] + flags + [os.path.join(folder, "model.mlir"), "-o", t + "/m.fnx"], check=True)
            return of_file(t + "/m.fnx")

    def of_file(path):
        with open(path, "rb") as f:
            return mnemonics(f.read(), a.objdump)

    work, one = sorted(glob.glob(os.path.join(TESTS, "numeric", "*"))), compiled
    if a.modules:
        work, one = sorted(glob.glob(os.path.join(a.modules, "*.fnx"))), of_file
    work = [path for path in work if re.search(a.only, os.path.basename(path))]
    with open(LIST) as f:
        known = set(f.read().split())
    new = {}
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for path, found in zip(work, pool.map(one, work)):
            for name in found - known:
                new.setdefault(name, os.path.basename(path))
    for name, case in sorted(new.items()):
        print("%s (%s)" % (name, case))
    print("%d cases, %d mnemonics that the list does not have" % (len(work), len(new)))
    if a.bless:
        with open(LIST, "w") as f:
            f.writelines(name + "\n" for name in sorted(known | set(new)))
        return 0
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
