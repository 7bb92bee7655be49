#!/usr/bin/env python3
"""Run the StableHLO conformance cases on a device and write docs/measured/conformance.md.

    FORNAX_SHARED=DIR python3 tests/conformance.py --fornax target/release/fornax [--sample N]
        [--device=cuda --target=cuda:sm_90a] [--cases DIR]
    python3 tests/conformance.py --result result.json --device cuda [--date 2026-01-31]      what tests/gpu/conformance.py run wrote

DIR holds conformance/run.py and its cases; they are not part of this repository. Without them: says so and stops.
No case may crash the compiler or the run; the exit code is 1 if one does. The counts of every device are kept in
docs/measured/conformance.json, which the page is made of: a run on one device leaves the others as they were.
"""
import argparse
import collections
import datetime
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
VERDICTS = ["passed", "wrong", "compile_refused", "compile_crashed", "run_refused", "run_crashed", "timed_out"]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/release/fornax")
    p.add_argument("--sample", type=int)
    p.add_argument("--no-docs", action="store_true", help="do not rewrite docs/measured/conformance.md")
    p.add_argument("--device", default="cpu", help="where to run: cpu, cuda, rocm")
    p.add_argument("--target", default="cpu", help="what to compile for: cpu, cuda:sm_90a")
    p.add_argument("--cases", help="folder of unpacked cases")
    p.add_argument("--result", help="take these results instead of running")
    p.add_argument("--date", default=datetime.date.today().isoformat(), help="when they were made")
    a = p.parse_args()
    if a.result:
        with open(a.result) as f:
            data = json.load(f)
        write_docs(keep(a.device, data["rows"], data["outputs"], a.date, data["commit"]))
        return 0
    shared = os.environ.get("FORNAX_SHARED")
    if not shared:
        print("conformance: skipped, FORNAX_SHARED is not set")
        return 0
    fornax = os.path.abspath(a.fornax)
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result.json")
        command = [
            sys.executable, os.path.join(shared, "conformance", "run.py"), "run", "--jobs", "2", "--json", result,
            "--compile", fornax + " compile --quiet --jobs=1 --target=%s {in} -o {out}" % a.target,
            "--run", fornax + " run-module --device=%s --module={out} --function={fn} {inputs} {outputs}" % a.device,
        ]
        if a.cases:
            command += ["--cases", a.cases]
        if a.sample:
            command += ["--sample", str(a.sample)]
        subprocess.run(command, check=True)
        with open(result) as f:
            data = json.load(f)
    rows = data["rows"]
    total = collections.Counter(r["verdict"] for r in rows)
    if not a.no_docs:
        outputs = {r["name"]: output_types(data["args"]["cases"], r["name"]) for r in rows}
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
        write_docs(keep(a.device, rows, outputs, a.date, commit))
    crashed = total["compile_crashed"] + total["run_crashed"]
    print("%d of %d passed, %d crashed" % (total["passed"], len(rows), crashed))
    return 1 if crashed else 0


def output_types(cases, name):
    with open(os.path.join(cases, name, "meta.json")) as f:
        return [o["dtype"] for o in json.load(f)["outputs"]]


def keep(device, rows, outputs, date, commit):
    """Puts the counts of a run into docs/measured/conformance.json and gives those of all devices."""
    path = os.path.join(ROOT, "docs", "measured", "conformance.json")
    devices = {}
    if os.path.exists(path):
        with open(path) as f:
            devices = json.load(f)
    counts = {"date": date, "commit": commit}
    for key in ("suite", "category"):
        table = collections.defaultdict(collections.Counter)
        for r in rows:
            table[r[key]][r["verdict"]] += 1
        counts[key] = table
    types = collections.defaultdict(dict)
    # Cases of the suite `dynamic` are compiled only.
    for r in (r for r in rows if r["suite"] != "dynamic"):
        for element in sorted(set(outputs[r["name"]])):
            cell = types[r["group"]].setdefault(element, [0, 0])
            cell[0] += r["verdict"] == "passed"
            cell[1] += 1
    counts["types"] = types
    reasons = collections.Counter(r.get("reason", "") for r in rows if r["verdict"] != "passed")
    counts["reasons"] = reasons.most_common(25)
    devices[device] = json.loads(json.dumps(counts))
    with open(path, "w") as f:
        json.dump(devices, f, indent=1, sort_keys=True)
        f.write("\n")
    return devices


def write_docs(devices):
    lines = [
        "# Conformance", "",
        "Cases: the StableHLO project's own tests in a neutral form (one module, inputs as arguments). Made by `make conformance`",
        "(`tests/conformance.py`), on GPUs by `tests/gpu/conformance.py`; a refused case is one that the compiler says it does not support, with a code and a place. That every op",
        "is right on every element type is tested by `passes/tests/machine/emulated_types.rs` and the `narrow_…` cases of `tests/numeric`. Tables of columns (data frames) are no input.", "",
    ]
    for device, counts in sorted(devices.items()):
        lines += ["## On %s (%s, commit %s)" % (device, counts["date"], counts["commit"]), ""]
        for key in ("suite", "category"):
            lines += verdicts(key, counts[key])
        lines += ["| most frequent reasons | cases |", "| --- | --- |"]
        lines += ["| %s | %d |" % (reason.replace("|", "\\|"), n) for reason, n in counts["reasons"]] + [""]
        lines += by_type(device, counts["types"])
    with open(os.path.join(ROOT, "docs", "measured", "conformance.md"), "w") as f:
        f.write("\n".join(lines).rstrip().replace("complex<", "complex&lt;") + "\n")


def verdicts(title, table):
    lines = ["| %s | cases | %s |" % (title, " | ".join(v.replace("_", " ") for v in VERDICTS)), "| --- |" + " --- |" * (len(VERDICTS) + 1)]
    total = collections.Counter()
    for name, counts in sorted(table.items()):
        total.update(counts)
        lines.append("| %s | %d | %s |" % (name, sum(counts.values()), " | ".join(str(counts.get(v, 0)) for v in VERDICTS)))
    lines += ["| **all** | %d | %s |" % (sum(total.values()), " | ".join(str(total[v]) for v in VERDICTS)), ""]
    return lines


def by_type(device, table):
    """A row an op: the element types of results whose cases all pass, then those with cases that do not."""
    lines = ["| op on %s | all pass | passed of cases |" % device, "| --- | --- | --- |"]
    for name, cells in sorted(table.items()):
        whole = [element for element, (passed, cases) in sorted(cells.items()) if passed == cases]
        part = ["%s %d of %d" % (element, passed, cases) for element, (passed, cases) in sorted(cells.items()) if passed != cases]
        lines.append("| %s | %s | %s |" % (name, " ".join(whole), ", ".join(part)))
    return lines + [""]


if __name__ == "__main__":
    sys.exit(main())
