#!/usr/bin/env python3
"""Compile the goldens and the digit classifier for a GPU, on a machine without one.

    python3 tests/gpu/pack.py --fornax target/release/fornax --out DIR [--target cuda:sm_80 --target cuda:sm_90] [--only REGEX]

Writes DIR/NAME.fnx for every case of tests/numeric, DIR/sizes_NAME.fnx for every model of tests/sizes, and DIR/digits.fnx. Carry DIR, tests/ and the deployment binary to
the machine with the GPU and run tests/gpu/run.py there.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/release/fornax")
    p.add_argument("--out", required=True)
    p.add_argument("--target", action="append")
    p.add_argument("--only", default="")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    flags = ["--quiet", "--cuda-use-ptxas=false"] + ["--target=" + t for t in a.target or ["cuda:sm_80"]]
    digits = os.path.join(TESTS, "model", "digits")
    jobs = [("digits", os.path.join(digits, "model.mlir"), ["--parameters-from=" + os.path.join(digits, "args.json")])]
    numeric = os.path.join(TESTS, "numeric")
    jobs += [(name, os.path.join(numeric, name, "model.mlir"), []) for name in sorted(os.listdir(numeric))]
    sized = sorted(glob.glob(os.path.join(TESTS, "sizes", "*", "model.mlir")))
    jobs += [("sizes_" + os.path.basename(os.path.dirname(model)), model, []) for model in sized]
    jobs = [job for job in jobs if re.search(a.only, job[0])]

    def one(job):
        name, model, extra = job
        command = [a.fornax, "compile", "--jobs=1"] + flags + extra + [model, "-o", os.path.join(a.out, name + ".fnx")]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return name, done.returncode, done.stderr

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, code, text in pool.map(one, jobs):
            if code:
                failed += 1
                print("%s: %s" % (name, text.strip()))
    print("%d compiled, %d failed" % (len(jobs) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
