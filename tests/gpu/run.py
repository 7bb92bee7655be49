#!/usr/bin/env python3
"""Run what tests/gpu/pack.py compiled, on this machine's GPU, against JAX's answers.

    python3 tests/gpu/run.py --fornax fornax --modules DIR [--device cuda] [--prefix "compute-sanitizer --error-exitcode 99"]

Prints every case that differs or fails, then "N passed, N failed". --prefix puts a tool in front of each run;
--only REGEX narrows the cases.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shlex
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def numbered(folder, stem):
    files = []
    while os.path.exists(os.path.join(folder, "%s_%d.npy" % (stem, len(files)))):
        files.append(os.path.join(folder, "%s_%d.npy" % (stem, len(files))))
    return files


def cases(modules):
    """(name, arguments) of every run."""
    for path in sorted(glob.glob(os.path.join(modules, "*.fnx"))):
        name = os.path.basename(path)[:-4]
        if name == "digits":
            data = os.path.join(TESTS, "model", "digits")
            for digit in range(10):
                yield "digits_%d" % digit, ["--module=" + path, "--parameters=" + os.path.join(data, "weights.safetensors"),
                                            "--input=@%s/digit_%d.npy" % (data, digit), "--expected-output=@%s/expected_%d.npy" % (data, digit)]
            continue
        folder = os.path.join(TESTS, "numeric", name)
        with open(os.path.join(folder, "meta.json")) as f:
            tolerance = json.load(f)["tolerance"]
        arguments = ["--module=" + path] + ["--expected-%s-threshold=%g" % item for item in tolerance.items()]
        arguments += ["--input=@" + f for f in numbered(folder, "in")] + ["--expected-output=@" + f for f in numbered(folder, "out")]
        yield name, arguments


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/deploy/fornax")
    p.add_argument("--modules", required=True)
    p.add_argument("--device", default="cuda")
    p.add_argument("--prefix", default="")
    p.add_argument("--only", default="")
    p.add_argument("--jobs", type=int, default=6)
    a = p.parse_args()

    def one(case):
        name, arguments = case
        command = shlex.split(a.prefix) + [a.fornax, "run-module", "--device=" + a.device, "--output-max-element-count=0"] + arguments
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return name, done.returncode, (done.stdout[-300:] if a.prefix else "") + done.stderr

    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for name, code, text in pool.map(one, [c for c in cases(a.modules) if re.search(a.only, c[0])]):
            if code == 0:
                passed += 1
            else:
                failed += 1
                print("%s: exit code %d: %s" % (name, code, " ".join(text.split())[:400]))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
