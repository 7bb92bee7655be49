#!/usr/bin/env python3
"""What the main loops of AMD kernels are made of, beside IREE's for the same program: no device is needed.

For each program and chip both compilers make an hsaco; the loop with the most matrix instructions (or, without any, the longest) is
taken from its disassembly and counted: instructions for each matrix instruction, bytes that pass through LDS and memory for each
1000 operations, bytes a load of memory takes, registers, LDS, scratch.

A loop's bytes say nothing of a device that the tiles do not fill: 64 workgroups on 304 units leave 240 idle. `--products` therefore
compares products of odd and small extents by what the busiest compute unit takes: operations of its workgroups, and bytes that they
read from memory and caches (by both loops, times the workgroups of the busiest unit). A product where either is more than IREE's is
named at the end.

Needs iree-base-compiler (PyPI) for the second half and LLVM 22's llvm-objdump, llvm-readelf. Ends with 1 where a number of Fornax is worse than
IREE's: more instructions, bytes of LDS or memory, registers or scratch, fewer bytes a load.

    tests/bench/amd_static.py --fornax target/release/fornax --iree-compile iree-compile --chips gfx90a,gfx942
    tests/bench/amd_static.py --fornax target/release/fornax --iree-compile iree-compile --chips gfx942 --products
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HEAD = "module { func.func public @main"
PROGRAMS = {
    "product f16 4096³": (HEAD + """(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32> } }"""),
    "product f16 4096³, B transposed": (HEAD + """(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32> } }"""),
    "product bf16 4096³, B transposed": (HEAD + """(%a: tensor<4096x4096xbf16>, %b: tensor<4096x4096xbf16>) -> tensor<4096x4096xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32> } }"""),
    "product f32 4096³": (HEAD + """(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32> } }"""),
    "product i8 4096³, B transposed": (HEAD + """(%a: tensor<4096x4096xi8>, %b: tensor<4096x4096xi8>) -> tensor<4096x4096xi32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<4096x4096xi8>, tensor<4096x4096xi8>) -> tensor<4096x4096xi32>
  return %0 : tensor<4096x4096xi32> } }"""),
}


def attention(element, depth, heads=16, length=4096):
    """Heads of so many positions: as plain ops, which Fornax fuses, and as the op that IREE makes one kernel of."""
    q, r = f"tensor<1x{heads}x{length}x{depth}x{element}>", f"tensor<1x{heads}x{length}xf32>"
    s, w = f"tensor<1x{heads}x{length}x{length}xf32>", f"tensor<1x{heads}x{length}x{length}x{element}>"
    ours = HEAD + f"""(%q: {q}, %k: {q}, %v: {q}) -> {q} {{
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %scale = stablehlo.constant dense<0.088388346> : {s}
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : ({q}, {q}) -> {s}
  %1 = stablehlo.multiply %0, %scale : {s}
  %2 = stablehlo.reduce(%1 init: %low) applies stablehlo.maximum across dimensions = [3] : ({s}, tensor<f32>) -> {r}
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : ({r}) -> {s}
  %4 = stablehlo.subtract %1, %3 : {s}
  %5 = stablehlo.exponential %4 : {s}
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [3] : ({s}, tensor<f32>) -> {r}
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : ({r}) -> {s}
  %8 = stablehlo.divide %5, %7 : {s}
  %9 = stablehlo.convert %8 : ({s}) -> {w}
  %10 = stablehlo.dot_general %9, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : ({w}, {q}) -> {q}
  return %10 : {q} }} }}"""
    maps = ["m, k1", "k2, k1", "k2, n", None, "m, n"]
    names = ["(b, h, %s)" % m if m else "()" for m in maps]
    maps = ", ".join(f"affine_map<(b, h, m, n, k1, k2) -> {m}>" for m in names)
    theirs = f"""func.func @main(%q: {q}, %k: {q}, %v: {q}) -> {q} {{
  %scale = arith.constant 0.088388346 : {element}
  %e = tensor.empty() : {q}
  %0 = iree_linalg_ext.attention <{{indexing_maps = [{maps}]}}> ins(%q, %k, %v, %scale : {q}, {q}, {q}, {element}) outs(%e : {q}) {{
    ^bb0(%score: f32):
      iree_linalg_ext.yield %score : f32
  }} -> {q}
  return %0 : {q} }}"""
    return ours, theirs


def softmax(rows, columns):
    x, r = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}xf32>"
    return HEAD + f"""(%x: {x}) -> {x} {{
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : ({x}, tensor<f32>) -> {r}
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : ({r}) -> {x}
  %2 = stablehlo.subtract %x, %1 : {x}
  %3 = stablehlo.exponential %2 : {x}
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : ({x}, tensor<f32>) -> {r}
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : ({r}) -> {x}
  %6 = stablehlo.divide %3, %5 : {x}
  return %6 : {x} }} }}"""


PROGRAMS["attention f16 4096, 128 features"] = attention("f16", 128)
PROGRAMS["attention bf16 4096, 64 features"] = attention("bf16", 64)
PROGRAMS["softmax f32 4096 x 4096"] = softmax(4096, 4096)
# M, N, K of products that few tiles, or odd ones, cover.
PRODUCTS = [(1000, 768, 513), (512, 1024, 768), (197, 768, 768), (384, 384, 384), (640, 960, 1280), (777, 777, 777), (1024, 1024, 1024), (1536, 512, 2048),
            (128, 4096, 1024), (2048, 96, 512), (3136, 64, 576), (300, 2000, 1000), (1500, 1500, 250), (64, 3072, 768)]
# Compute units of a device: MI250X (one of its two), MI300X.
UNITS = {"gfx90a": 104, "gfx942": 304}
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
    # A product of few steps is written out: its loop is the whole kernel.
    return best if any("mfma" in i or "wmma" in i for i in best) else [i for _, i in lines]


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


# What is better of each cell of a row, and what is said of it.
BETTER = [(min, "instructions"), (min, "LDS bytes"), (min, "memory bytes"), (max, "bytes a load"), (min, "VGPRs"), (min, "AGPRs"), (min, "scratch")]


def worse(ours, theirs):
    """In what a row of cells is worse than another one; cells that are no numbers on either side are left out."""
    def number(text):
        return float(text) if re.fullmatch(r"[\d.]+", text) else None
    pairs = [(number(a), number(b), better, what) for a, b, (better, what) in zip(ours, theirs, BETTER)]
    return [f"{what} {a:g} against {b:g}" for a, b, better, what in pairs if None not in (a, b) and a != b and better(a, b) == b]


def product(m, n, k, element):
    a, b, c = f"tensor<{m}x{k}x{element}>", f"tensor<{k}x{n}x{element}>", f"tensor<{m}x{n}xf32>"
    return HEAD + f"""(%a: {a}, %b: {b}) -> {c} {{
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({a}, {b}) -> {c}
  return %0 : {c} }} }}"""


def workgroups_by_fornax(args, folder, m, n):
    """Workgroups of the product's kernel, and the name of its schedule."""
    record = json.loads(run(args.fornax, "inspect", "--format=json", folder / "m.fnx"))
    kernel = max((k for p in record["programs"] for k in p["kernels"]), key=lambda k: k["flops"])
    tile = re.search(r"(\d+)x(\d+)x\d+ warps", kernel["note"])
    if not tile:
        return None, kernel["note"]
    rows, columns = int(tile.group(1)), int(tile.group(2))
    parts = re.search(r"the steps in (\d+) parts", kernel["note"])
    return -(-m // rows) * -(-n // columns) * (int(parts.group(1)) if parts else 1), tile.group(0)


def workgroups_by_iree(args, folder, chip):
    text = run(args.iree_compile, "--iree-hal-target-device=hip", f"--iree-rocm-target={chip}", "--compile-to=executable-targets",
               folder / "m.mlir", "-o", "-")
    counts = []
    for body in re.findall(r"hal.executable.export.*?hal.return ([^:]*):", text, re.S):
        product = 1
        for name in body.split(","):
            found = re.match(r"\s*%c(\d+)", name)
            product *= int(found.group(1)) if found else 1
        counts.append(product)
    return max(counts), ""


def products(args):
    """Products beside IREE's: what the busiest unit computes and reads."""
    print("| M × N × K | type | chip | compiler | tile | workgroups | LDS bytes a 1000 operations | memory bytes a 1000 operations "
          "| busiest unit: Mop | KiB read |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    found = []
    for m, n, k in PRODUCTS:
        for element in ("f16", "f32"):
            program = product(m, n, k, element)
            for chip in args.chips.split(","):
                pair = []
                for name in ("Fornax", "IREE"):
                    with tempfile.TemporaryDirectory() as folder:
                        folder = pathlib.Path(folder)
                        by = by_fornax if name == "Fornax" else by_iree
                        cells = row(by(args, program, chip, folder), chip)
                        count, tile = workgroups_by_fornax(args, folder, m, n) if name == "Fornax" else workgroups_by_iree(args, folder, chip)
                    if count is None or cells[2] == "-":
                        print(f"| {m} × {n} × {k} | {element} | {chip} | {name} | {tile} | - | - | - | - | - |", flush=True)
                        continue
                    each = 2 * m * n * k / count
                    busiest = -(-count // UNITS[chip]) * each
                    read = busiest / 1000 * float(cells[2])
                    print(f"| {m} × {n} × {k} | {element} | {chip} | {name} | {tile} | {count} | {cells[1]} | {cells[2]} | {busiest / 1e6:.2f} "
                          f"| {read / 1024:.0f} |", flush=True)
                    pair.append((busiest, read))
                if len(pair) == 2:
                    # Extents that tiles do not divide leave a few per cent of either.
                    what = [text for (ours, theirs, text) in zip(*pair, ("operations", "bytes")) if ours > 1.05 * theirs]
                    found += [f"{m} × {n} × {k} {element}, {chip}: {', '.join(what)} of the busiest unit"] if what else []
    if found:
        sys.exit("more than IREE's:\n" + "\n".join(found))


def main():
    global args_llvm
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fornax", required=True)
    parser.add_argument("--iree-compile")
    parser.add_argument("--chips", default="gfx90a,gfx942")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin", type=pathlib.Path)
    parser.add_argument("--products", action="store_true", help="products that few or odd tiles cover, by what the busiest unit takes")
    args = parser.parse_args()
    args_llvm = args.llvm
    if args.products:
        if not args.iree_compile:
            parser.error("--products compares with IREE: name --iree-compile")
        products(args)
        return
    print("| program | chip | compiler | instructions a matrix instruction | LDS bytes a 1000 operations | memory bytes a 1000 operations "
          "| bytes a load | VGPRs | of these AGPRs | scratch |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    found = []
    for title, programs in PROGRAMS.items():
        ours, theirs = programs if isinstance(programs, tuple) else (programs, programs)
        for chip in args.chips.split(","):
            compilers = [("Fornax", by_fornax, ours)] + ([("IREE", by_iree, theirs)] if args.iree_compile else [])
            rows = []
            for name, compile_by, program in compilers:
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        cells = row(compile_by(args, program, chip, pathlib.Path(folder)), chip)
                    except subprocess.CalledProcessError as error:
                        cells = ["failed: " + (error.stderr or "").strip().splitlines()[-1][:80] if error.stderr else "failed"] + [""] * 6
                print("| " + " | ".join([title, chip, name] + cells) + " |", flush=True)
                rows.append(cells)
            if len(rows) == 2:
                found += [f"{title}, {chip}: {what}" for what in worse(*rows)]
    if found:
        sys.exit("worse than IREE:\n" + "\n".join(found))


if __name__ == "__main__":
    main()
