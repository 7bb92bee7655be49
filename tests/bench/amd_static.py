#!/usr/bin/env python3
"""What the main loops of AMD kernels are made of, beside IREE's for the same program: no device is needed.

For each program and chip both compilers make an hsaco; the loop with the most matrix instructions (or, without any, the longest) is
taken from its disassembly and counted: instructions for each matrix instruction, bytes that pass through LDS and memory for each
1000 operations, bytes a load of memory takes, registers, LDS, scratch.

Needs iree-base-compiler (PyPI) for the second half and LLVM 22's llvm-objdump, llvm-readelf.

    tests/bench/amd_static.py --fornax target/release/fornax --iree-compile iree-compile --chips gfx90a,gfx942
"""
import argparse
import collections
import pathlib
import re
import subprocess
import tempfile

HEAD = "module { func.func public @main"
PROGRAMS = {
    "product f16 4096³": (HEAD + """(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32> } }"""),
    "product f16 4096³, B transposed": (HEAD + """(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32> } }"""),
    "product f32 4096³": (HEAD + """(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32> } }"""),
    "product i8 4096³": (HEAD + """(%a: tensor<4096x4096xi8>, %b: tensor<4096x4096xi8>) -> tensor<4096x4096xi32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<4096x4096xi8>, tensor<4096x4096xi8>) -> tensor<4096x4096xi32>
  return %0 : tensor<4096x4096xi32> } }"""),
}
WORDS = {"ubyte": 1, "sbyte": 1, "u8": 1, "i8": 1, "ushort": 2, "sshort": 2, "short": 2, "u16": 2, "i16": 2, "b16": 2, "dword": 4, "b32": 4,
         "dwordx2": 8, "b64": 8, "dwordx3": 12, "b96": 12, "dwordx4": 16, "b128": 16}
LANES = 64


def run(*command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout


def by_fornax(args, program, chip, folder):
    (folder / "m.mlir").write_text(program)
    run(args.fornax, "compile", folder / "m.mlir", "--target-backends=rocm", f"--rocm-target={chip}", "-o", folder / "m.fnx",
        f"--dump-ir-to={folder / 'dump'}")
    return max((folder / "dump").rglob("*.hsaco"), key=lambda p: p.stat().st_size)


def by_iree(args, program, chip, folder):
    (folder / "m.mlir").write_text(program)
    run(args.iree_compile, "--iree-hal-target-device=hip", f"--iree-rocm-target={chip}", f"--iree-hal-dump-executable-files-to={folder / 'iree'}",
        folder / "m.mlir", "-o", folder / "m.vmfb")
    return max((folder / "iree").rglob("*.hsaco"), key=lambda p: p.stat().st_size)


def loop(hsaco, chip):
    """The instructions of the loop with the most matrix instructions, else of the longest one."""
    text = run(args_llvm / "llvm-objdump", "-d", f"--mcpu={chip}", hsaco)
    lines = []
    for line in text.splitlines():
        found = re.match(r"\s+(\S.*?)\s*// ([0-9A-F]{12}):", line)
        if found:
            lines.append((int(found.group(2), 16), found.group(1)))
    at = {address: index for index, (address, _) in enumerate(lines)}
    best = []
    for index, (address, instruction) in enumerate(lines):
        branch = re.match(r"s_(?:cbranch_\w+|branch) (\d+)", instruction)
        if not branch:
            continue
        offset = int(branch.group(1))
        offset -= 65536 if offset >= 32768 else 0
        start = at.get(address + 4 + 4 * offset)
        if start is None or start > index:
            continue
        body = [i for _, i in lines[start:index + 1]]
        weight = lambda b: (sum("mfma" in i or "wmma" in i for i in b), len(b))
        if weight(body) > weight(best):
            best = body
    return best


def bytes_of(name):
    """Bytes that one lane moves."""
    pairs = 2 if re.search(r"(read|write|load|store)2", name) else 1
    for part in reversed(name.split("_")):
        if part in WORDS:
            return pairs * WORDS[part]
    return 0


def operations(name):
    found = re.search(r"_(\d+)x(\d+)x(\d+)", name)
    m, n, k = (int(x) for x in found.groups())
    return 2 * m * n * k


def notes(hsaco):
    text = run(args_llvm / "llvm-readelf", "--notes", hsaco)
    number = lambda key: max([int(n) for n in re.findall(rf"\.{key}:\s+(\d+)", text)] or [0])
    return {key: number(key) for key in ("vgpr_count", "agpr_count", "private_segment_fixed_size")}


def row(hsaco, chip):
    body = loop(hsaco, chip)
    names = [i.split()[0] for i in body]
    count = collections.Counter(names)
    total = lambda test: sum(bytes_of(n) * c for n, c in count.items() if test(n))
    matrix = [n for n in names if "mfma" in n or "wmma" in n]
    work = sum(operations(n) for n in matrix)
    memory = lambda n: re.match(r"(global|buffer|flat)_load", n) is not None
    local = lambda n: n.startswith("ds_")
    loads = sum(c for n, c in count.items() if memory(n))
    resources = notes(hsaco)
    each = lambda value: f"{LANES * value * 1000 / work:.1f}" if work else "-"
    return [
        f"{len(names) / len(matrix):.2f}" if matrix else "-",
        each(total(local)),
        each(total(memory)),
        f"{total(memory) / loads:.1f}" if loads else "-",
        str(resources["vgpr_count"]),
        str(resources["agpr_count"]),
        str(resources["private_segment_fixed_size"]),
    ]


def main():
    global args_llvm
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fornax", required=True)
    parser.add_argument("--iree-compile")
    parser.add_argument("--chips", default="gfx90a,gfx942")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin", type=pathlib.Path)
    args = parser.parse_args()
    args_llvm = args.llvm
    print("| program | chip | compiler | instructions a matrix instruction | LDS bytes a 1000 operations | memory bytes a 1000 operations "
          "| bytes a load | VGPRs | of these AGPRs | scratch |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for title, program in PROGRAMS.items():
        for chip in args.chips.split(","):
            compilers = [("Fornax", by_fornax)] + ([("IREE", by_iree)] if args.iree_compile else [])
            for name, compile_by in compilers:
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        cells = row(compile_by(args, program, chip, pathlib.Path(folder)), chip)
                    except subprocess.CalledProcessError as error:
                        cells = ["failed: " + (error.stderr or "").strip().splitlines()[-1][:80] if error.stderr else "failed"] + [""] * 6
                print("| " + " | ".join([title, chip, name] + cells) + " |", flush=True)


if __name__ == "__main__":
    main()
