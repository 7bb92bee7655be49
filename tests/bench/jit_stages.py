#!/usr/bin/env python3
"""What a small new function costs the compiler that stays: milliseconds of processor time, stage by stage.

    python3 tests/bench/jit_stages.py target/debug/fornax [--flags=FLAG,…] [--sizes 12] [--only NAME,…]

JAX's plugin and `torch.compile` let one process `fornax model-worker` compile one model after the other; this script
speaks to one in the same way, for the processor at hand unless the flags say otherwise; `--flags=--quick` asks
for fewer of LLVM's passes. Each function is new to it: the same operators, another size. *wall* is from the question
to the module, *cpu* the processor time of the worker meanwhile, all threads together: where the machine has other work,
that is what counts. Both are medians over the sizes. The stages are those of `fornax compile -vv`, by the clock, the
least of all sizes: what a stage takes when nothing disturbs it. *codegen* is all of MLIR and LLVM; *mlir*, *passes*
(LLVM's) and *object* (its code generator) are parts of it, summed over the kernels.
"""
import argparse
import collections
import json
import os
import re
import statistics
import struct
import subprocess
import threading
import time

REDUCE = "({x} init: %z) applies stablehlo.{op} across dimensions = [1] : ({t}, tensor<f32>) -> tensor<{n}xf32>"


def reduce(x, op, n):
    return "stablehlo.reduce" + REDUCE.format(x=x, op=op, n=n, t=f"tensor<{n}x{n}xf32>")


def spread(x, n):
    return f"stablehlo.broadcast_in_dim {x}, dims = [0] : (tensor<{n}xf32>) -> tensor<{n}x{n}xf32>"


def elementwise(n, t):
    return f"""%0 = stablehlo.tanh %a : {t}
%1 = stablehlo.add %0, %0 : {t}
%2 = stablehlo.add %1, %a : {t}
return %2 : {t}"""


def softmax(n, t):
    return f"""%z = stablehlo.constant dense<0xFF800000> : tensor<f32>
%0 = {reduce("%a", "maximum", n)}
%1 = {spread("%0", n)}
%2 = stablehlo.subtract %a, %1 : {t}
%3 = stablehlo.exponential %2 : {t}
%y = stablehlo.constant dense<0.0> : tensor<f32>
%4 = {reduce("%3", "add", n).replace("%z", "%y")}
%5 = {spread("%4", n)}
%6 = stablehlo.divide %3, %5 : {t}
return %6 : {t}"""


def matmul(n, t):
    return f"""%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : ({t}, {t}) -> {t}
return %0 : {t}"""


def layer(n, t):
    """A product, GELU, a product, and a mean of rows added."""
    return f"""%z = stablehlo.constant dense<0.0> : tensor<f32>
%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : ({t}, {t}) -> {t}
%1 = stablehlo.multiply %0, %0 : {t}
%2 = stablehlo.multiply %1, %0 : {t}
%c = stablehlo.constant dense<0.044715> : {t}
%3 = stablehlo.multiply %c, %2 : {t}
%4 = stablehlo.add %0, %3 : {t}
%d = stablehlo.constant dense<0.797884583> : {t}
%5 = stablehlo.multiply %d, %4 : {t}
%6 = stablehlo.tanh %5 : {t}
%e = stablehlo.constant dense<1.0> : {t}
%7 = stablehlo.add %6, %e : {t}
%h = stablehlo.constant dense<0.5> : {t}
%8 = stablehlo.multiply %7, %h : {t}
%9 = stablehlo.multiply %0, %8 : {t}
%10 = stablehlo.dot_general %9, %a, contracting_dims = [1] x [0] : ({t}, {t}) -> {t}
%11 = {reduce("%a", "add", n)}
%n = stablehlo.constant dense<{float(n)}> : tensor<{n}xf32>
%12 = stablehlo.divide %11, %n : tensor<{n}xf32>
%13 = {spread("%12", n)}
%14 = stablehlo.add %10, %13 : {t}
return %14 : {t}"""


def normalisation(n, t):
    """Layer normalisation of rows."""
    return f"""%z = stablehlo.constant dense<0.0> : tensor<f32>
%n = stablehlo.constant dense<{float(n)}> : tensor<{n}xf32>
%0 = {reduce("%a", "add", n)}
%1 = stablehlo.divide %0, %n : tensor<{n}xf32>
%2 = {spread("%1", n)}
%3 = stablehlo.subtract %a, %2 : {t}
%4 = stablehlo.multiply %3, %3 : {t}
%5 = {reduce("%4", "add", n)}
%6 = stablehlo.divide %5, %n : tensor<{n}xf32>
%e = stablehlo.constant dense<1.0e-5> : tensor<{n}xf32>
%7 = stablehlo.add %6, %e : tensor<{n}xf32>
%8 = stablehlo.rsqrt %7 : tensor<{n}xf32>
%9 = {spread("%8", n)}
%10 = stablehlo.multiply %3, %9 : {t}
return %10 : {t}"""


def transposed(n, t):
    return f"""%0 = stablehlo.transpose %a, dims = [1, 0] : ({t}) -> {t}
return %0 : {t}"""


FUNCTIONS = [elementwise, softmax, matmul, layer, normalisation, transposed]


class Worker:
    def __init__(self, fornax):
        self.process = subprocess.Popen([fornax, "model-worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env={**os.environ, "FORNAX_LOG": "debug"})
        self.said = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stderr:
            self.said.append(line.decode(errors="replace"))

    def cpu(self):
        """Seconds of processor time so far: the clock of another process, as `clock_getcpuclockid` names it."""
        return time.clock_gettime(~self.process.pid << 3 | 2)

    def _frame(self):
        (length,) = struct.unpack("<I", self.process.stdout.read(4))
        return self.process.stdout.read(length)

    def ask(self, flags, model):
        """(wall, processor time) of a model, in ms, and what was said of its stages."""
        self.said.clear()
        begin, used = time.perf_counter(), self.cpu()
        for part in (json.dumps(flags).encode(), model.encode()):
            self.process.stdin.write(struct.pack("<I", len(part)) + part)
        self.process.stdin.flush()
        kind, body = self._frame(), self._frame()
        wall, used = time.perf_counter() - begin, self.cpu() - used
        if kind != b"module":
            raise SystemExit(body.decode())
        # What was said last may be on its way.
        time.sleep(0.01)
        return wall * 1e3, used * 1e3, stages("".join(self.said))


def stages(text):
    """Milliseconds by stage, of lines such as `info: simplify: 2.1 ms, 214 ops` and `debug: code of a kernel: mlir 1 ms`."""
    found = collections.Counter()
    for line in text.splitlines():
        one = re.match(r"info: (\w+): ([\d.]+) ms", line)
        if one:
            found[one[1]] += float(one[2])
        elif "debug: code of " in line:
            for name, number in re.findall(r"(\w+) ([\d.]+) ms", line):
                found[name] += float(number)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fornax")
    parser.add_argument("--flags", default="")
    parser.add_argument("--sizes", type=int, default=12)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    worker = Worker(args.fornax)
    flags = ["--target=cpu:native", *(flag for flag in args.flags.split(",") if flag)]
    names = [name for name in args.only.split(",") if name]
    for function in FUNCTIONS:
        if names and function.__name__ not in names:
            continue
        walls, used, least = [], [], {}
        for at in range(args.sizes + 2):
            n = 64 + 8 * at
            t = f"tensor<{n}x{n}xf32>"
            row = worker.ask(flags, f"func.func @main(%a: {t}) -> {t} {{\n{function(n, t)}\n}}\n")
            # The first ones start what stays.
            if at < 2:
                continue
            walls.append(row[0])
            used.append(row[1])
            for name, number in row[2].items():
                least[name] = min(number, least.get(name, number))
        parts = ", ".join(f"{name} {number:.1f}" for name, number in least.items() if number >= 0.05)
        print(f"{function.__name__}: wall {statistics.median(walls):.1f}, cpu {statistics.median(used):.1f} "
              f"(least {min(used):.1f}); {parts}", flush=True)


main()
