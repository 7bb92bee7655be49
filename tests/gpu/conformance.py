#!/usr/bin/env python3
"""The StableHLO conformance cases on a GPU: compiled here, run there, in a minute or two of device time.

    python3 tests/gpu/conformance.py pack --fornax target/release/fornax --shared DIR --out PACKED [--cases DIR]
        [--target cuda:sm_90a] [--ptxas FILE]
    python3 tests/gpu/conformance.py run --fornax fornax --packed PACKED --json result.json [--device cuda] [--jobs 16]
    python3 tests/conformance.py --result result.json --device cuda          # into docs/measured/conformance.md

DIR/conformance holds run.py, which knows the cases and how results compare. `pack` writes PACKED/cases.tar.xz (modules,
inputs, expected outputs), PACKED/compiled.json (what did not compile, and the commit) and a copy of run.py. `run` gives each of
--jobs processes a list of runs (`fornax run-module --batch`); a process that dies has crashed in the run it was in, and another goes
on behind it.
"""
import argparse
import concurrent.futures
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Seconds for one compilation; for one run, where --timeout does not say otherwise.
TIMEOUT_S = 60
# What each suite must reach, percent.
BARS = {"testdata": 99.5, "interpret": 98.0, "quantized": 97.0, "math": 60.0, "dynamic": 100.0}
STRICT_BAR = 97.0


def runner(folder):
    """run.py of the conformance set, as a module."""
    spec = importlib.util.spec_from_file_location("conformance_run", os.path.join(folder, "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row(case, **more):
    return dict({key: case[key] for key in ("name", "suite", "group", "category")}, **more)


def pack(a):
    run = runner(os.path.join(a.shared, "conformance"))
    cases_dir = a.cases or run.unpacked()
    with open(os.path.join(cases_dir, "index.json")) as f:
        cases = [c for c in json.load(f)["cases"] if re.search(a.only, c["name"])]
    modules = os.path.join(a.out, "modules")
    os.makedirs(modules, exist_ok=True)
    ptxas = ["--ptxas=" + os.path.abspath(a.ptxas), "--cuda-use-ptxas=true"] if a.ptxas else ["--cuda-use-ptxas=false"]
    flags = ["compile", "--quiet", "--jobs=1", "--target=" + a.target] + (ptxas if a.target.startswith("cuda") else [])

    def one(case):
        out = os.path.join(modules, case["name"] + ".fnx")
        if a.keep and os.path.exists(out):
            return row(case, compile_s=0.0)
        model = os.path.join(cases_dir, case["name"], "module.mlir")
        code, text, seconds = run.call([os.path.abspath(a.fornax)] + flags + [model, "-o", out], TIMEOUT_S, a.out, None)
        done = row(case, compile_s=round(seconds, 3))
        if code == "timeout":
            done.update(verdict="timed_out", reason="compile timeout")
        elif code != 0:
            crashed = code < 0 or code >= 128 or run._CRASH.search(text)
            done.update(verdict="compile_crashed" if crashed else "compile_refused", reason=run.reason(text), log=text[:1500])
        return done

    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        rows = []
        for done in pool.map(one, cases):
            rows.append(done)
            if len(rows) % 100 == 0:
                print("%d of %d" % (len(rows), len(cases)), file=sys.stderr, flush=True)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    failed = {r["name"]: r for r in rows if "verdict" in r}
    with open(os.path.join(a.out, "compiled.json"), "w") as f:
        json.dump({"commit": commit, "target": a.target, "rows": rows}, f)
    shutil.copy(os.path.join(a.shared, "conformance", "run.py"), a.out)
    with tarfile.open(os.path.join(a.out, "cases.tar.xz"), "w:xz", preset=6) as t:
        for case in cases:
            folder = os.path.join(cases_dir, case["name"])
            t.add(os.path.join(folder, "meta.json"), case["name"] + "/meta.json")
            if case.get("compile_only") or case["name"] in failed:
                continue
            for x in case["inputs"] + case["outputs"]:
                t.add(os.path.join(folder, x["file"]), case["name"] + "/" + x["file"])
        for case in cases:
            if not case.get("compile_only") and case["name"] not in failed:
                t.add(os.path.join(modules, case["name"] + ".fnx"), case["name"] + "/module.fnx")
    for name, r in failed.items():
        print("%s: %s: %s" % (name, r["verdict"], r["reason"]))
    size = os.path.getsize(os.path.join(a.out, "cases.tar.xz"))
    print("%d compiled, %d not; %.1f MB packed" % (len(rows) - len(failed), len(failed), size / 1e6))
    return 0


def arguments(case, folder, device):
    """The flags of `run-module` for a case, and where its outputs go."""
    flags = ["--module=" + os.path.join(folder, "module.fnx"), "--device=" + device, "--function=" + case["function"]]
    for x in case["inputs"]:
        shape = "".join("%dx" % n for n in x["shape"])
        flags.append("--input=%s%s=@%s" % (shape, x["dtype"], os.path.join(folder, x["file"])))
    outputs = [os.path.join(folder, "res%d.bin" % i) for i in range(len(case["outputs"]))]
    return flags + ["--output=@" + path for path in outputs], outputs


def run_all(fornax, work, jobs, seconds):
    """By case: exit code and what was said. `work` is a list of (name, flags); a code of None is a time-out."""
    found = {}

    def one(part):
        while part:
            with tempfile.NamedTemporaryFile("w", suffix=".jsonl", delete=False) as f:
                f.writelines(json.dumps(flags) + "\n" for _, flags in part)
            with tempfile.TemporaryFile("w+") as errors:
                process = subprocess.Popen([fornax, "run-module", "--batch=" + f.name], stdout=subprocess.PIPE, stderr=errors, text=True)
                done, late = 0, []
                timer = watch(process, seconds, late)
                for line in process.stdout:
                    m = re.match(r"run (\d+): (?:ok|exit (\d+): (.*))", line)
                    if m:
                        done = int(m.group(1))
                        found[part[done - 1][0]] = (int(m.group(2) or 0), m.group(3) or "")
                        timer.cancel()
                        timer = watch(process, seconds, late)
                code = process.wait()
                timer.cancel()
                errors.seek(0)
                text = errors.read()
            os.unlink(f.name)
            part = part[done:]
            if part:
                found[part[0][0]] = (None if late else code, "the process ended: " + text[-500:])
                part = part[1:]

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, [work[i::jobs] for i in range(jobs)]))
    return found


def watch(process, seconds, late):
    """Ends the process if nothing cancels this."""
    def end():
        late.append(True)
        process.kill()
    timer = threading.Timer(seconds, end)
    timer.start()
    return timer


def judged(work):
    """A row of the results; in a process of its own."""
    packed, case, folder, outputs, code, text = work
    try:
        return judge(runner(packed), case, folder, outputs, code, text)
    except (OSError, ValueError) as e:
        return row(case, verdict="wrong", reason="no result: %s" % str(e)[-100:])


def judge(run, case, folder, outputs, code, text):
    done = row(case)
    if code != 0:
        crashed = code is not None and (code < 0 or code >= 128 or run._CRASH.search(text))
        verdict = "timed_out" if code is None else "run_crashed" if crashed else "run_refused"
        return dict(done, verdict=verdict, reason=run.reason(text), log=text[:1500])
    import numpy as np
    ok = strict = True
    done["outputs"] = []
    for x, path in zip(case["outputs"], outputs):
        dtype = run.np_dtype(x["dtype"])
        expected = np.fromfile(os.path.join(folder, x["file"]), dtype).reshape(x["shape"])
        with open(path, "rb") as f:
            raw = f.read()
        if len(raw) != expected.nbytes:
            return dict(done, verdict="wrong", reason="result size %d bytes, wanted %d" % (len(raw), expected.nbytes))
        got = np.frombuffer(raw, np.uint8) != 0 if x["dtype"] == "i1" else np.frombuffer(raw, dtype)
        passed, exact, detail = run.compare(got.reshape(x["shape"]), expected, x["dtype"], x["check"], case["category"])
        ok, strict = ok and passed, strict and exact
        done["outputs"].append(dict(dtype=x["dtype"], ok=bool(passed), strict=bool(exact), **detail))
    done.update(verdict="passed" if ok else "wrong", strict=bool(strict))
    if not ok:
        wrong = next(o for o in done["outputs"] if not o["ok"])
        done["reason"] = "wrong values (%s)" % wrong["dtype"]
    return done


def run_packed(a):
    with open(os.path.join(a.packed, "compiled.json")) as f:
        compiled = json.load(f)
    start = time.time()
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(os.path.join(a.packed, "cases.tar.xz")) as t:
            t.extractall(folder, filter="data")
        cases, rows, work = {}, [], []
        for r in compiled["rows"]:
            with open(os.path.join(folder, r["name"], "meta.json")) as f:
                case = json.load(f)
            cases[case["name"]] = case
            if "verdict" in r:
                rows.append(r)
            elif case.get("compile_only"):
                rows.append(dict(r, verdict="passed", strict=True))
            else:
                work.append((case["name"], arguments(case, os.path.join(folder, case["name"]), a.device)))
        unpacked = time.time()
        found = run_all(os.path.abspath(a.fornax), [(name, flags) for name, (flags, _) in work], a.jobs, a.timeout)
        ran = time.time()
        results = [(a.packed, cases[name], os.path.join(folder, name), outputs) + found.get(name, (None, "it was not run"))
                   for name, (_, outputs) in work]
        with concurrent.futures.ProcessPoolExecutor(a.jobs) as pool:
            rows += pool.map(judged, results, chunksize=16)
    types = {name: [o["dtype"] for o in case["outputs"]] for name, case in cases.items()}
    with open(a.json, "w") as f:
        json.dump({"commit": compiled["commit"], "rows": rows, "outputs": types}, f)
    for r in [r for r in rows if r["verdict"] != "passed"][: a.show]:
        worst = next((o for o in r.get("outputs", []) if not o["ok"]), {})
        print("%s: %s: %s %s" % (r["name"], r["verdict"], r.get("reason", ""), {k: worst[k] for k in ("at", "got", "want", "bad", "of") if k in worst}))
    print("unpack %.0f s, run %.0f s, compare %.0f s" % (unpacked - start, ran - unpacked, time.time() - ran))
    return 0 if table(rows) else 1


def table(rows):
    """Prints the suites against their bars; whether all are reached and nothing crashed."""
    good = True
    print("%-10s %6s %7s %7s %7s %8s %8s %6s" % ("suite", "cases", "passed", "%", "strict", "refused", "crashed", "bar"))
    for suite in sorted({r["suite"] for r in rows}) + ["all"]:
        own = [r for r in rows if suite in (r["suite"], "all")]
        count = lambda *verdicts: sum(r["verdict"] in verdicts for r in own)
        passed = [r for r in own if r["verdict"] == "passed"]
        strict = sum(bool(r.get("strict")) for r in passed)
        rate, crashed = 100.0 * len(passed) / len(own), count("compile_crashed", "run_crashed", "timed_out")
        bar = BARS.get(suite, 0.0)
        good = good and rate >= bar and crashed == 0
        if suite == "all":
            good = good and 100.0 * strict / max(1, len(passed)) >= STRICT_BAR
        print("%-10s %6d %7d %6.1f%% %7d %8d %8d %6s" % (
            suite, len(own), len(passed), rate, strict, count("compile_refused", "run_refused"), crashed, bar or ""))
    return good


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    s = p.add_subparsers(required=True)
    q = s.add_parser("pack")
    q.set_defaults(do=pack)
    q.add_argument("--fornax", default="target/release/fornax")
    q.add_argument("--shared", default=os.environ.get("FORNAX_SHARED", "."))
    q.add_argument("--cases")
    q.add_argument("--out", required=True)
    q.add_argument("--target", default="cuda:sm_90a")
    q.add_argument("--ptxas")
    q.add_argument("--only", default="", help="regex on the case name")
    q.add_argument("--jobs", type=int, default=2)
    q.add_argument("--keep", action="store_true", help="keep modules that are there")
    r = s.add_parser("run")
    r.set_defaults(do=run_packed)
    r.add_argument("--fornax", required=True)
    r.add_argument("--packed", required=True)
    r.add_argument("--json", required=True)
    r.add_argument("--device", default="cuda")
    r.add_argument("--jobs", type=int, default=16)
    r.add_argument("--timeout", type=float, default=TIMEOUT_S, help="seconds for one run")
    r.add_argument("--show", type=int, default=40, help="cases that did not pass to print at most")
    a = p.parse_args()
    sys.exit(a.do(a))


if __name__ == "__main__":
    main()
