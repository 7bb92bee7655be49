#!/usr/bin/env python3
"""JAX's own test files on Fornax's processor or a GPU, by the PJRT plugin.

    git clone --depth 1 --branch jax-v0.10.2 https://github.com/jax-ml/jax
    pip install jax==0.10.2 absl-py hypothesis mpmath numpy==2.4.6 pytest pytest-timeout pytest-xdist scipy
    cargo build -p fornax-cli -p fornax-pjrt -p fornax-python
    FORNAX_JAX_CHECKOUT=jax python3 tests/model/check_jax_suite.py target/debug/fornax [NAME…] [--cases N] [--x64]
        [--every N [--from K]] [--limit SECONDS] [--jobs N] [--devices N | --device cuda] [--bless]

NAME is a file of the checkout's tests/ without `_test.py`; all of FILES without any, with --devices all of SEVERAL.
Each file runs under `JAX_PLATFORMS=fornax,cpu`, on a processor that is divided into --devices, or on a GPU (--device).
JAX draws --cases of the combinations of each test's parameters (its own number is 10). With --every only each Nth case
of a file runs, from case K (from 0) on.

tests/model/jax_suite_expectations.txt lists what does not pass: `FILE TEST WHAT`, without the number of the case; FILE
on several devices is `FILE@DEVICES`, on a GPU `FILE@cuda`, with types of 64 bits `FILE@x64`. WHAT is a code of Fornax,
`wrong` for numbers outside the test's tolerance, `crash`, `slow`, or `other`: a test that asks for something of XLA
(its text, its devices), and why. All else must pass: exit code 1 if not. --bless writes the list anew.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "pages"))
import run as pages  # noqa: E402

EXPECTATIONS = HERE / "jax_suite_expectations.txt"
FILES = """
lax lax_autodiff lax_control_flow lax_numpy lax_numpy_einsum lax_numpy_indexing lax_numpy_operators lax_numpy_reducers
lax_numpy_setops lax_numpy_ufuncs lax_numpy_vectorize lax_scipy lax_vmap lax_vmap_op linalg nn random random_lax fft
image scipy_signal api array dtypes jax_jit
""".split()
SEVERAL = "array multi_device pjit pmap shard_map export".split()
# Seconds for one test where nothing else is said, and for one file.
TEST_LIMIT = 120
FILE_LIMIT = 14400
# What NumPy's and JAX's comparisons of arrays say.
NUMBERS = re.compile(r"Not equal to tolerance|Arrays are not equal|Mismatched elements|Arrays are not almost equal")


class Count:
    def __init__(self):
        self.passed, self.skipped, self.failed = 0, 0, collections.Counter()


# A plugin of pytest's: JAX's modules for tests that the wheel does not have come from the checkout, and of the cases of
# a file a part is taken.
PLUGIN = """
import jax._src
jax._src.__path__.append({source!r})


def pytest_collection_modifyitems(items):
    items[:] = items[{first}::{every}]
"""


def suite(checkout, name, settings, jobs, limit, part):
    """The test cases of one file, as pytest's report has them; `part` is where they begin and each which one counts."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.xml"
        source = str(checkout / "jax" / "_src")
        plugin = PLUGIN.format(source=source, first=part[0], every=part[1])
        (pathlib.Path(folder) / "of_checkout.py").write_text(plugin)
        environment = {**settings, "PYTHONPATH": os.pathsep.join([settings["PYTHONPATH"], folder])}
        words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:benchmark", "-p",
                 "of_checkout", "-n", str(jobs),
                 f"--timeout={limit}", "--timeout-method=thread", "--tb=short", f"--junitxml={report}",
                 f"tests/{name}_test.py"]
        done = subprocess.run(words, cwd=checkout, env=environment, capture_output=True, text=True, timeout=FILE_LIMIT)
        if not report.exists():
            sys.exit(f"{name}: pytest did not run: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return list(xml.etree.ElementTree.parse(report).getroot().iter("testcase"))


def kind_of(text):
    """What a failure is."""
    # Text of XLA and of MLIR can name no code of Fornax: its codes stand in brackets.
    code = re.search(r"\[(FX\d{4})\]", text)
    if code:
        return code.group(1)
    if NUMBERS.search(text):
        return "wrong"
    if "Timeout" in text:
        return "slow"
    return "crash" if re.search(r"worker .* crashed", text) else "other"


def base(case):
    """`Class::test`, without the number of a drawn case."""
    # Parameters may have spaces, and the list has columns.
    name = re.sub(r"\d+$", "", case.get("name")).replace(" ", "")
    return f"{case.get('classname', '').split('.')[-1]}::{name}"


def read_expectations():
    expected = {}
    for line in EXPECTATIONS.read_text().splitlines() if EXPECTATIONS.exists() else []:
        if line and not line.startswith("#"):
            file, test, what = line.split()[:3]
            expected[file, test] = (what, line)
    return expected


def judge(name, cases, expected):
    """(the counts of a file, its lines of the list, how many tests were not as expected)"""
    count, lines, surprises = Count(), {}, 0
    for case in cases:
        bad = [text for tag in ("failure", "error") for text in case.findall(tag)]
        if not bad:
            count.skipped += case.find("skipped") is not None
            count.passed += case.find("skipped") is None
            continue
        said = (bad[0].get("message") or "") + (bad[0].text or "")
        kind, test = kind_of(said), base(case)
        count.failed[kind] += 1
        wanted, line = expected.get((name, test), ("pass", ""))
        why = " ".join((bad[0].get("message") or "").split())[:60]
        lines[test] = line if wanted == kind else f"{name} {test} {kind}" + ("" if kind[:2] == "FX" else f" {why}")
        if wanted != kind:
            surprises += 1
            print(f"{name} {test}: {kind}, and {wanted} was expected: {' '.join(said.split())[:300]}", flush=True)
    return count, lines, surprises


def line_of(name, count):
    failed = sum(count.failed.values())
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(count.failed.items()))
    part = 100 * count.passed / max(1, count.passed + failed)
    return (f"{name}: {count.passed} of {count.passed + failed} pass ({part:.1f} %), {count.skipped} skipped by JAX"
            + (f"; {kinds}" if kinds else ""))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fornax")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--cases", type=int, default=1)
    parser.add_argument("--x64", action="store_true", help="with types of 64 bits (JAX_ENABLE_X64)")
    parser.add_argument("--limit", type=int, default=TEST_LIMIT, help="seconds for one test; its process ends there")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--from", type=int, default=0, metavar="K", dest="first")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda", "rocm"))
    parser.add_argument("--bless", action="store_true")
    args = parser.parse_args()
    checkout = os.environ.get("FORNAX_JAX_CHECKOUT") or sys.exit("FORNAX_JAX_CHECKOUT names no checkout of JAX")
    checkout = pathlib.Path(checkout).resolve()
    fornax = pathlib.Path(args.fornax).resolve()
    expected, total, surprises = read_expectations(), Count(), 0
    with tempfile.TemporaryDirectory() as folder:
        package = pages.python_package(fornax, pathlib.Path(folder) / "package")
        settings = {**os.environ, "PYTHONPATH": str(package), "JAX_PLATFORMS": "fornax,cpu",
                    "JAX_NUM_GENERATED_CASES": str(args.cases), "JAX_ENABLE_X64": str(int(args.x64)),
                    "PATH": os.pathsep.join([str(fornax.parent), os.environ.get("PATH", "")]),
                    "FORNAX_MODULE_CACHE": str(pathlib.Path(folder) / "modules")}
        if args.devices > 1:
            settings["FORNAX_PJRT_OPTIONS"] = f"device={args.device},num_devices={args.devices}"
        elif args.device != "cpu":
            settings["FORNAX_PJRT_OPTIONS"] = f"device={args.device}"
        for file in args.names or (FILES if args.devices == 1 else SEVERAL):
            name = file if args.device == "cpu" else f"{file}@{args.device}"
            name += f"@{args.devices}" if args.devices > 1 else ""
            name += "@x64" if args.x64 else ""
            cases = suite(checkout, file, settings, args.jobs, args.limit, (args.first, args.every))
            count, lines, unexpected = judge(name, cases, expected)
            print(line_of(name, count), flush=True)
            total.passed, total.skipped = total.passed + count.passed, total.skipped + count.skipped
            total.failed.update(count.failed)
            surprises += unexpected
            if args.bless:
                # What a part did not run stays.
                ran = {base(case) for case in cases}
                expected = {key: row for key, row in expected.items() if key[0] != name or key[1] not in ran}
                expected.update({(name, test): ("", line) for test, line in lines.items()})
                head = [line for line in EXPECTATIONS.read_text().splitlines() if line.startswith("#")]
                EXPECTATIONS.write_text("\n".join(head + sorted(line for _, line in expected.values())) + "\n")
    print(line_of("all", total))
    sys.exit(surprises > 0)


main()
