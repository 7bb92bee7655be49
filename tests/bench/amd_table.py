#!/usr/bin/env python3
"""The table of registers, LDS, occupancy and matrix share by chip in docs/measured/amd.md: from real compiles, no device is needed.

Each program is compiled for each chip; `fornax inspect --loops` says what its largest kernel takes (the one with the most matrix
instructions in its main loop, else the most instructions). With --iree-compile the same programs by IREE stand beside, for those chips that
--iree-chips names; attention as its own op for it, since its main loop for the plain ops is that of one product, without the softmax.

    tests/bench/amd_table.py --fornax target/release/fornax [--iree-compile iree-compile] [--bless]

--bless rewrites the table in docs/measured/amd.md between its two marks.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import amd_static

CHIPS = "gfx900,gfx906,gfx908,gfx90a,gfx942,gfx950,gfx1100,gfx1102,gfx1151,gfx1200,gfx9-4-generic,gfx11-generic,gfx12-generic"
START, END = "<!-- amd_table.py: start -->", "<!-- amd_table.py: end -->"
DOCS = pathlib.Path(__file__).parent / "../../docs/measured/amd.md"


def product(element, result, n=4096, transposed=True):
    columns, shape = (1, f"{n}x{n}") if transposed else (0, f"{n}x{n}")
    a, b, c = (f"tensor<{n}x{n}x{e}>" for e in (element, element, result))
    return (f"func.func public @main(%a: {a}, %b: {b}) -> {c} {{\n  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [{columns}] : "
            f"({a}, {b}) -> {c}\n  return %0 : {c}\n}}\n")


def softmax(rows=1024, columns=4096):
    t, r, s = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}xf32>", "tensor<f32>"
    return f"""func.func public @main(%x: {t}) -> {t} {{
  %low = stablehlo.constant dense<0xFF800000> : {s}
  %zero = stablehlo.constant dense<0.0> : {s}
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : ({t}, {s}) -> {r}
  %wide = stablehlo.broadcast_in_dim %max, dims = [0] : ({r}) -> {t}
  %shifted = stablehlo.subtract %x, %wide : {t}
  %exp = stablehlo.exponential %shifted : {t}
  %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1] : ({t}, {s}) -> {r}
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : ({r}) -> {t}
  %result = stablehlo.divide %exp, %sums : {t}
  return %result : {t}
}}
"""


def small(chip):
    """The 8-bit float of the chip's matrix instructions, else the OCP one."""
    return "f8E4M3FNUZ" if chip == "gfx942" else "f8E4M3FN"


PROGRAMS = {
    "product f16": lambda chip: product("f16", "f32"),
    "product bf16": lambda chip: product("bf16", "f32"),
    "product f32": lambda chip: product("f32", "f32", transposed=False),
    "product i8": lambda chip: product("i8", "i32"),
    "product f8": lambda chip: product(small(chip), "f32"),
    "attention f16": lambda chip: amd_static.attention("f16", 64, heads=8, length=1024),
    "softmax f32": lambda chip: softmax(),
}


def run(*command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout


def best(reports):
    """The report of the kernel that computes most."""
    def weight(report):
        loop = report.get("main_loop") or {}
        return loop.get("matrix_instructions", 0), loop.get("instructions", 0)
    return max(reports, key=weight)


def by_fornax(args, program, chip, folder):
    (folder / "m.mlir").write_text(program)
    run(args.fornax, "compile", "--quiet", folder / "m.mlir", "--target-backends=rocm", f"--rocm-target={chip}", "-o", folder / "m.fnx")
    said = json.loads(run(args.fornax, "inspect", "--format=json", "--loops", folder / "m.fnx"))
    return [report for program in said["programs"] for kernel in program["kernels"] for report in kernel["amd"]]


def by_iree(args, program, chip, folder):
    (folder / "m.mlir").write_text(program)
    run(args.iree_compile, "--iree-hal-target-device=hip", f"--iree-rocm-target={chip}",
        f"--iree-hal-dump-executable-files-to={folder / 'iree'}", folder / "m.mlir", "-o", folder / "m.vmfb")
    reports = []
    for wrapped in sorted((folder / "iree").rglob("*.hsaco")):
        # IREE's file is a container with the code object in it.
        data = wrapped.read_bytes()
        (folder / "k.hsaco").write_bytes(data[data.index(b"\x7fELF"):])
        reports += json.loads(run(args.fornax, "inspect", "--format=json", "--loops", folder / "k.hsaco"))["kernels"]
    return reports


def cells(reports):
    report = best(reports)
    loop = report.get("main_loop") or {}
    share = loop.get("matrix_share")
    matrix = loop.get("matrix_instructions", 0)
    return [
        str(report["vgprs"]), str(report["agprs"]), str(report["sgprs"]), f"{report['lds_bytes'] / 1024:.1f}",
        str(max(r["scratch_bytes"] for r in reports)),
        f"{report.get('waves_per_simd', '-')} of {report.get('waves_per_simd_max', '-')} ({report.get('occupancy_limit', '-')})",
        f"{loop['instructions'] / matrix:.2f}" if matrix else "-",
        f"{100 * share:.0f} %" if share and matrix else "-",
    ], max(r["scratch_bytes"] for r in reports)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fornax", required=True)
    parser.add_argument("--iree-compile")
    parser.add_argument("--iree-chips", default="gfx90a,gfx942")
    parser.add_argument("--chips", default=CHIPS)
    parser.add_argument("--programs", default="", help="only those whose name contains one of these words")
    parser.add_argument("--bless", action="store_true")
    args = parser.parse_args()
    lines = ["| program | chip | compiler | VGPRs | AGPRs | SGPRs | LDS KiB | scratch | waves a SIMD (limit) | instructions a matrix instruction "
             "| matrix share |", "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    spilled = []
    words = [word for word in args.programs.split(",") if word]
    for title, make in PROGRAMS.items():
        if words and not any(word in title for word in words):
            continue
        for chip in args.chips.split(","):
            made = make(chip)
            ours, theirs = made if isinstance(made, tuple) else (made, made)
            compilers = [("Fornax", by_fornax, ours)]
            if args.iree_compile and chip in args.iree_chips.split(","):
                compilers.append(("IREE", by_iree, theirs))
            for name, compile_by, program in compilers:
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        row, scratch = cells(compile_by(args, program, chip, pathlib.Path(folder)))
                    except (subprocess.CalledProcessError, ValueError) as error:
                        said = getattr(error, "stderr", "") or str(error)
                        why = ": " + re.sub(r"\s+", " ", said.strip())[-80:].replace("|", "/") if name == "Fornax" else " to compile"
                        row, scratch = ["failed" + why] + [""] * 7, 0
                if name == "Fornax" and (scratch or row[0].startswith("failed")):
                    spilled.append(f"{title} on {chip}: {row[0]}, scratch {scratch}")
                lines.append("| " + " | ".join([title, chip, name] + row) + " |")
                print(lines[-1], file=sys.stderr, flush=True)
    table = "\n".join(lines)
    if args.bless:
        text = DOCS.read_text()
        head, rest = text.split(START)
        DOCS.write_text(head + START + "\n\n" + table + "\n\n" + END + rest.split(END)[1])
    else:
        print(table)
    if spilled:
        sys.exit("kernels with scratch or without a result:\n" + "\n".join(spilled))


if __name__ == "__main__":
    main()
