#!/usr/bin/env python3
"""Random programs through emitted kernels, on the CPU or on a GPU.

    FORNAX_FUZZ_WRITE=DIR FORNAX_FUZZ_COUNT=2000 cargo test -p fornax-passes --test differential random     # programs, inputs, what is expected
    python3 tests/gpu/random_programs.py pack --programs DIR --fornax target/release/fornax --target cuda:sm_90a --out PACKED
    python3 tests/gpu/random_programs.py run --packed PACKED --fornax fornax --device cuda --json result.json [--jobs 16]

`pack` compiles every program (one refused for its sizes is counted, any other failure is told) into PACKED/programs.tar.xz; `run` needs
numpy and ml_dtypes, runs many programs in a process (`fornax run-module --batch`) and says what differs. docs/extend/random-programs.md says how the
programs are made and what counts as equal. `tests/programs/check.py --write DIR` writes the JAX programs in the same form.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time

from conformance import run_all

TIMEOUT_S = 120
# Types of ml_dtypes by their spelling in MLIR.
ML_TYPES = {
    "bf16": "bfloat16", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2", "f8E4M3": "float8_e4m3", "f8E3M4": "float8_e3m4",
    "f8E4M3FNUZ": "float8_e4m3fnuz", "f8E5M2FNUZ": "float8_e5m2fnuz", "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
}


def dtype(spelled):
    import ml_dtypes
    import numpy as np
    if spelled in ML_TYPES:
        return np.dtype(getattr(ml_dtypes, ML_TYPES[spelled]))
    if spelled == "i1":
        return np.dtype("uint8")
    m = re.fullmatch(r"complex<f(\d+)>", spelled)
    if m:
        return np.dtype("complex%d" % (2 * int(m.group(1))))
    m = re.fullmatch(r"(u?)([if])(\d+)", spelled)
    kind = {"i": "int", "f": "float"}[m.group(2)]
    return np.dtype(("u" if m.group(1) else "") + kind + str(max(8, int(m.group(3)))))


def first_difference(raw, expected_raw, output):
    """What the first element that is too far off says; None where all are right."""
    import numpy as np
    if len(raw) != len(expected_raw):
        return "%d bytes, expected %d" % (len(raw), len(expected_raw))
    if raw == expected_raw:
        return None
    kind = dtype(output["dtype"])
    got, want = np.frombuffer(raw, kind), np.frombuffer(expected_raw, kind)
    if kind.kind in "iu":
        wrong = got != want
    else:
        wide = "complex128" if kind.kind == "c" else "float64"
        with np.errstate(all="ignore"):
            g, w = got.astype(wide), want.astype(wide)
            wrong = np.zeros(g.shape, bool)
            for a, b in [(g.real, w.real), (g.imag, w.imag)] if kind.kind == "c" else [(g, w)]:
                near = output["limit"] + output.get("relative", 0) * np.abs(b)
                wrong |= ~((a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= near))
    if not wrong.any():
        return None
    at = int(np.argmax(wrong))
    return "element %d of %d (%d differ): %s, expected %s, limit %g" % (at, len(got), int(wrong.sum()), got[at], want[at], output["limit"])


def pack(a):
    names = sorted(n for n in os.listdir(a.programs) if os.path.exists(os.path.join(a.programs, n, "meta.json")))
    names = names[: a.count] if a.count else names
    os.makedirs(a.out, exist_ok=True)
    flags = [os.path.abspath(a.fornax), "compile", "--quiet", "--jobs=1", "--target=" + a.target]
    flags += ["--ptxas=" + os.path.abspath(a.ptxas)] if a.ptxas else ["--cuda-use-ptxas=false"] if a.target.startswith("cuda") else []

    def one(name):
        folder = os.path.join(a.programs, name)
        command = flags + [os.path.join(folder, "model.mlir"), "-o", os.path.join(folder, "module.fnx")]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return "no module after %d s" % TIMEOUT_S
        return None if done.returncode == 0 else "exit code %d: %s" % (done.returncode, done.stdout.strip()[:600])

    refused, failed = {}, {}
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for name, why in zip(names, pool.map(one, names)):
            if why:
                (refused if "error[FX03" in why else failed)[name] = why
    with tarfile.open(os.path.join(a.out, "programs.tar.xz"), "w:xz", preset=6) as t:
        kinds = [r"meta\.json|.*\.bin", r"module\.fnx"]
        for kind in kinds:
            for name in (n for n in names if n not in refused and n not in failed):
                for file in sorted(os.listdir(os.path.join(a.programs, name))):
                    if re.fullmatch(kind, file):
                        t.add(os.path.join(a.programs, name, file), name + "/" + file)
    for name, why in failed.items():
        print("%s: %s" % (name, why))
    size = os.path.getsize(os.path.join(a.out, "programs.tar.xz"))
    print("%d compiled, %d refused for their sizes, %d failed; %.1f MB packed" % (
        len(names) - len(refused) - len(failed), len(refused), len(failed), size / 1e6))
    return 1 if failed else 0


def run(a):
    start = time.time()
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(os.path.join(a.packed, "programs.tar.xz")) as t:
            t.extractall(folder, filter="data")
        work, judged = [], []
        for name in sorted(os.listdir(folder)):
            own = os.path.join(folder, name)
            with open(os.path.join(own, "meta.json")) as f:
                runs = json.load(f)["runs"]
            for at, one in enumerate(runs):
                flags = ["--module=" + os.path.join(own, "module.fnx"), "--device=" + a.device]
                for x in one["inputs"]:
                    shape = "".join("%dx" % n for n in x["shape"])
                    flags.append("--input=%s%s=@%s" % (shape, x["dtype"], os.path.join(own, x["file"])))
                results = [os.path.join(own, "result_%d_%d.bin" % (at, n)) for n in range(len(one["outputs"]))]
                flags += ["--output=@" + path for path in results]
                key = "%s run %d" % (name, at)
                work.append((key, flags))
                judged.append((key, own, one["outputs"], results))
        found = run_all(os.path.abspath(a.fornax), work, a.jobs, a.timeout)
        ran = time.time()
        different, refused = {}, {}
        for key, own, outputs, results in judged:
            code, text = found.get(key, (None, "it was not run"))
            if code != 0:
                refused[key] = "exit code %s: %s" % (code, text[:400])
                continue
            for n, (output, path) in enumerate(zip(outputs, results)):
                with open(path, "rb") as f, open(os.path.join(own, output["file"]), "rb") as e:
                    why = first_difference(f.read(), e.read(), output)
                if why:
                    different[key] = "result %d, %s: %s" % (n, output["dtype"], why)
                    break
    if a.json:
        with open(a.json, "w") as f:
            json.dump({"runs": len(work), "different": different, "failed": refused}, f, indent=1)
    for key, why in sorted({**different, **refused}.items())[: a.show]:
        print("%s: %s" % (key, why))
    print("%d runs, %d differ, %d failed (%.0f s, then %.0f s to compare)" % (
        len(work), len(different), len(refused), ran - start, time.time() - ran))
    return 1 if different or refused or not work else 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    s = p.add_subparsers(required=True)
    q = s.add_parser("pack")
    q.set_defaults(do=pack)
    q.add_argument("--programs", required=True)
    q.add_argument("--fornax", default="target/release/fornax")
    q.add_argument("--target", default="cuda:sm_90a")
    q.add_argument("--ptxas")
    q.add_argument("--out", required=True)
    q.add_argument("--count", type=int, help="only the first so many")
    q.add_argument("--jobs", type=int, default=2)
    r = s.add_parser("run")
    r.set_defaults(do=run)
    r.add_argument("--packed", required=True)
    r.add_argument("--fornax", default="target/release/fornax")
    r.add_argument("--device", default="cpu")
    r.add_argument("--json")
    r.add_argument("--jobs", type=int, default=2)
    r.add_argument("--timeout", type=float, default=TIMEOUT_S, help="seconds for one run")
    r.add_argument("--show", type=int, default=20, help="what is told at most")
    a = p.parse_args()
    sys.exit(a.do(a))


if __name__ == "__main__":
    main()
