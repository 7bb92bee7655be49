#!/usr/bin/env python3
"""The goldens through `fornax verify` on a GPU: every dispatch against the reference evaluator, which runs here.

    python3 tests/gpu/verify.py pack --fornax target/release/fornax --out PACKED [--target cuda:sm_90a] [--only REGEX] [NAME=MODEL.mlir...]
    python3 tests/gpu/verify.py run --fornax fornax --packed PACKED [--device cuda] [--jobs 8] [--found DIR]

`pack` writes PACKED/NAME.fnx for every golden of tests/numeric (with its inputs) and every further model (with random ones), what the
reference computes in it. `run` compares; what differs is told with the kernel and the op, reproducers go to --found.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import time

from run import TESTS, numbered

TIMEOUT_S = 300


def call(command):
    """Exit code (None where it took too long) and the last that was said."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return None, "took more than %d s" % TIMEOUT_S
    return done.returncode, done.stdout.strip()


def pack(a):
    os.makedirs(a.out, exist_ok=True)
    numeric = os.path.join(TESTS, "numeric")
    models = [(name, os.path.join(numeric, name, "model.mlir"), numbered(os.path.join(numeric, name), "in"))
              for name in sorted(os.listdir(numeric)) if re.search(a.only, name)]
    models += [tuple(model.split("=", 1)) + ([],) for model in a.models]
    flags = [a.fornax, "verify", "prepare", "--jobs=1", "--target=" + a.target]

    def one(model):
        name, path, inputs = model
        out = os.path.join(a.out, name + ".fnx")
        code, text = call(flags + [path, "-o", out] + ["--input=@" + file for file in inputs])
        if code == 0 and os.path.getsize(out) > a.largest:
            os.unlink(out)
            return name, None, "more than %d bytes" % a.largest
        return name, code, text

    prepared, left_out, failed = 0, [], []
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for name, code, text in pool.map(one, models):
            if code == 0:
                prepared += 1
            else:
                (left_out if code is None else failed).append(name)
                print("%s: %s" % (name, text[:600]))
    print("%d prepared, %d too large or too slow, %d failed" % (prepared, len(left_out), len(failed)))
    return 1 if failed else 0


def run(a):
    start = time.time()

    def one(path):
        name = os.path.basename(path)[:-4]
        found = ["--reproducer=" + os.path.join(a.found, name)] if a.found else []
        return (name,) + call([a.fornax, "verify", "measure", path, "--device=" + a.device] + found)

    paths = sorted(glob.glob(os.path.join(a.packed, "*.fnx")))
    agree, compared = 0, 0
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(one, path) for path in paths]):
            name, code, text = done.result()
            executions = re.search(r"(\d+) executions", text)
            compared += int(executions.group(1)) if executions else 0
            if code == 0:
                agree += 1
            else:
                print("%s: exit code %s: %s" % (name, code, text[-900:]), flush=True)
    print("%d of %d models agree, %d executions compared (%.0f s)" % (agree, len(paths), compared, time.time() - start))
    return 0 if paths and agree == len(paths) else 1


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    s = p.add_subparsers(required=True)
    q = s.add_parser("pack")
    q.set_defaults(do=pack)
    q.add_argument("--fornax", default="target/release/fornax")
    q.add_argument("--target", default="cuda:sm_90a")
    q.add_argument("--out", required=True)
    q.add_argument("--only", default="")
    q.add_argument("--largest", type=int, default=1 << 20, help="bytes of a prepared module at most")
    q.add_argument("--jobs", type=int, default=2)
    q.add_argument("models", nargs="*", metavar="NAME=MODEL")
    r = s.add_parser("run")
    r.set_defaults(do=run)
    r.add_argument("--fornax", default="target/deploy/fornax")
    r.add_argument("--packed", required=True)
    r.add_argument("--device", default="cuda")
    r.add_argument("--found")
    r.add_argument("--jobs", type=int, default=8)
    a = p.parse_args()
    sys.exit(a.do(a))


if __name__ == "__main__":
    main()
