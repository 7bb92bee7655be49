#!/usr/bin/env python3
"""Run what tests/gpu/pack.py compiled, on this machine's GPU, against JAX's answers.

    python3 tests/gpu/run.py --fornax fornax --modules DIR [--device cuda] [--jobs N] [--prefix "compute-sanitizer --error-exitcode 99"]

Each of --jobs processes takes a list of cases (`fornax run-module --batch`), so that a device is opened once a process; one that dies has
failed the case it was in, and another goes on behind it. --prefix puts a tool in front of each process; --only REGEX narrows the cases. Prints every
case that differs or fails, then "N passed, N failed".
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
import tempfile
import time

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def numbered(folder, stem):
    files = []
    while os.path.exists(os.path.join(folder, "%s_%d.npy" % (stem, len(files)))):
        files.append(os.path.join(folder, "%s_%d.npy" % (stem, len(files))))
    return files


def arrays(folder):
    return ["--input=@" + f for f in numbered(folder, "in")] + ["--expected-output=@" + f for f in numbered(folder, "out")]


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
        if name.startswith("sizes_"):
            model = os.path.join(TESTS, "sizes", name[len("sizes_"):])
            for case in sorted(os.path.dirname(file) for file in glob.glob(os.path.join(model, "*", "out_0.npy"))):
                yield "%s at %s" % (name, os.path.basename(case)), ["--module=" + path] + arrays(case)
            continue
        folder = os.path.join(TESTS, "numeric", name)
        with open(os.path.join(folder, "meta.json")) as f:
            tolerance = json.load(f)["tolerance"]
        arguments = ["--module=" + path] + ["--expected-%s-threshold=%g" % item for item in tolerance.items()]
        yield name, arguments + arrays(folder)


def run_list(prefix, fornax, work, report):
    """Runs the (name, flags) of `work` one after another; `report(name, failure or None)` as each is done. A tool in front that
    complains at its end only (an exit code other than its worst run's) is a failure of the whole list."""
    while work:
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as lines, tempfile.TemporaryFile("w+") as errors:
            lines.writelines(json.dumps(flags) + "\n" for _, flags in work)
            lines.flush()
            process = subprocess.Popen(prefix + [fornax, "run-module", "--batch=" + lines.name], stdout=subprocess.PIPE, stderr=errors, text=True)
            done, said, worst = 0, [], 0
            for line in process.stdout:
                m = re.match(r"run (\d+): (?:ok|exit (\d+: .*))", line)
                if m:
                    done = int(m.group(1))
                    worst = max(worst, int((m.group(2) or "0").split(":")[0]))
                    report(work[done - 1][0], m.group(2))
                elif not line.startswith(("EXEC", "result[", "[SUCCESS]")):
                    said = (said + [line.strip()])[-40:]
            code = process.wait()
            errors.seek(0)
            text = " ".join((" ".join(said) + " " + errors.read()).split())
        if done < len(work):
            report(work[done][0], "the process ended with %d: %s" % (code, text[-400:]))
            done += 1
        elif code != worst:
            report("%s … %s" % (work[0][0], work[-1][0]), "exit code %d: %s" % (code, text[-1200:]))
        work = work[done:]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/deploy/fornax")
    p.add_argument("--modules", required=True)
    p.add_argument("--device", default="cuda")
    p.add_argument("--prefix", default="")
    p.add_argument("--only", default="")
    p.add_argument("--flag", action="append", default=[], help="given to every run (--flag=--command-buffer=graph)")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    a = p.parse_args()
    common = ["--device=" + a.device, "--output-max-element-count=0"] + a.flag
    work = [(name, arguments + common) for name, arguments in cases(a.modules) if re.search(a.only, name)]
    passed, failed, begin = [], [], time.time()

    def report(name, failure):
        (failed if failure else passed).append(name)
        if failure:
            print("%s: %s" % (name, failure[:1600]), flush=True)

    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        list(pool.map(lambda part: run_list(shlex.split(a.prefix), a.fornax, part, report), [work[i::a.jobs] for i in range(a.jobs)]))
    print("%d passed, %d failed, %.1f s" % (len(passed), len(failed), time.time() - begin))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
