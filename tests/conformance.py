#!/usr/bin/env python3
"""Run the StableHLO conformance cases on the CPU and write docs/conformance.md.

    FORNAX_SHARED=DIR python3 tests/conformance.py --fornax target/release/fornax [--sample N]

DIR holds conformance/run.py and its cases; they are not part of this repository. Without them: says so and stops.
No case may crash the compiler or the run; the exit code is 1 if one does.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

VERDICTS = ["passed", "wrong", "compile_refused", "compile_crashed", "run_refused", "run_crashed", "timed_out"]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/release/fornax")
    p.add_argument("--sample", type=int)
    p.add_argument("--no-docs", action="store_true", help="do not rewrite docs/conformance.md")
    a = p.parse_args()
    shared = os.environ.get("FORNAX_SHARED")
    if not shared:
        print("conformance: skipped, FORNAX_SHARED is not set")
        return 0
    fornax = os.path.abspath(a.fornax)
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result.json")
        command = [
            sys.executable, os.path.join(shared, "conformance", "run.py"), "run", "--jobs", "2", "--json", result,
            "--compile", fornax + " compile --quiet --jobs=1 --target-backends=cpu {in} -o {out}",
            "--run", fornax + " run-module --device=cpu --module={out} --function={fn} {inputs} {outputs}",
        ]
        if a.sample:
            command += ["--sample", str(a.sample)]
        subprocess.run(command, check=True)
        with open(result) as f:
            data = json.load(f)
    rows = data["rows"]
    total = collections.Counter(r["verdict"] for r in rows)
    if not a.no_docs:
        write_docs(rows, total)
    crashed = total["compile_crashed"] + total["run_crashed"]
    print("%d of %d passed, %d crashed" % (total["passed"], len(rows), crashed))
    return 1 if crashed else 0


def write_docs(rows, total):
    lines = [
        "# Conformance on the CPU", "",
        "Cases: the StableHLO project's own tests in a neutral form (one module, inputs as arguments). Made by `make conformance`;",
        "a refused case is one that the compiler says it does not support, with a code and a place.", "",
    ]
    for title, key in [("suite", "suite"), ("category", "category")]:
        table = collections.defaultdict(collections.Counter)
        for r in rows:
            table[r[key]][r["verdict"]] += 1
        lines += ["| %s | cases | %s |" % (title, " | ".join(v.replace("_", " ") for v in VERDICTS)), "| --- |" + " --- |" * (len(VERDICTS) + 1)]
        for name in sorted(table):
            counts = table[name]
            lines.append("| %s | %d | %s |" % (name, sum(counts.values()), " | ".join(str(counts[v]) for v in VERDICTS)))
        lines += ["| **all** | %d | %s |" % (len(rows), " | ".join(str(total[v]) for v in VERDICTS)), ""]
    reasons = collections.Counter(r.get("reason", "") for r in rows if r["verdict"] != "passed")
    lines += ["| most frequent reasons | cases |", "| --- | --- |"]
    lines += ["| %s | %d |" % (reason.replace("|", "\\|"), n) for reason, n in reasons.most_common(25)]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "conformance.md")
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
