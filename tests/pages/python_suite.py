#!/usr/bin/env python3
"""Runs the suite of the Python package, crates/python/tests, in the virtual environments of its pages, and once more as
wheels in bare ones.

    python3 tests/pages/python_suite.py --fornax target/debug/fornax [--strict] [PYTEST-ARGUMENT...]

Its closing line has the form of cargo's. Where packages cannot be installed it is skipped with a word.
"""

import argparse
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import run

# Virtual environment that a part of the suite runs in (those of pages: run.GROUPS), its packages, its files (none: all;
# what needs other packages is skipped there).
PARTS = [
    ("jax", ["jax==0.10.2", "numpy==2.4.6", "ml_dtypes==0.6.0", "pytest==9.2.0"], []),
    # The oldest that the plugin takes is 0.4.26, which wants NumPy 1.
    ("jax-of-2024", ["jax==0.4.28", "jaxlib==0.4.28", "numpy==2.4.6", "ml_dtypes==0.6.0", "pytest==9.2.0"],
     ["test_pjrt.py"]),
    ("torch", ["torch==2.15.0", "numpy==2.4.6", "pytest==9.2.0"],
     ["test_aten.py", "test_lender.py", "test_torch.py"]),
    ("torch", ["torch==2.15.0", "numpy==2.4.6", "pytest==9.2.0"],
     ["test_decomposed.py", "test_linear_algebra.py", "test_order.py", "test_special.py"]),
]
LIMIT = 600
# What tests/dist/wheels.sh ends with where packages cannot be had.
NOT_TO_BE_HAD = 3


def suite(fornax, arguments, part):
    """How many tests of a part passed, failed and were skipped."""
    group, packages, files = part
    programs = run.venv(group)
    pip = [str(programs / "python3"), "-m", "pip", "install", "-q"]
    install = subprocess.run([*pip, *packages], capture_output=True, text=True, env={**os.environ, **run.LAZILY})
    if install.returncode:
        raise run.Missing(install.stderr.strip().split("\n")[-1])
    path = os.pathsep.join([str(programs), str(fornax.parent), os.environ.get("PATH", "")])
    package = str(run.python_package(fornax, run.ROOT / "target" / "pages" / "package"))
    environment = {**os.environ, "PATH": path, "PYTHONPATH": package, "PYTHONDONTWRITEBYTECODE": "1",
                   "FORNAX_MODULE_CACHE": "off"}
    command = [str(programs / "python3"), "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    with tempfile.TemporaryDirectory(prefix="fornax-suite-") as folder:
        tests = run.ROOT / "crates" / "python" / "tests"
        chosen = [str(tests / name) for name in files] or [str(tests)]
        done = subprocess.run([*command, *chosen], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT)
    counted = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error|skipped)", done.stdout)}
    failed = counted.get("failed", 0) + counted.get("error", 0)
    if done.returncode:
        print(done.stdout)
        failed = max(failed, 1)
    return counted.get("passed", 0), failed, counted.get("skipped", 0)


def wheels(fornax):
    """As [`suite`]: builds both wheels of what was built beside the program, and tries them."""
    command = [str(run.ROOT / "tests" / "dist" / "wheels.sh"), str(fornax), "--built"]
    done = subprocess.run(command, cwd=run.ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=LIMIT)
    if done.returncode == NOT_TO_BE_HAD:
        raise run.Missing(done.stdout.strip().split("\n")[-1])
    if done.returncode:
        print(done.stdout)
    return int(done.returncode == 0), int(done.returncode != 0), 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fornax", required=True, type=pathlib.Path)
    parser.add_argument("--strict", action="store_true")
    a, arguments = parser.parse_known_args()
    passed = failed = skipped = 0
    fornax = a.fornax.resolve()
    steps = [(part[0], functools.partial(suite, fornax, arguments, part)) for part in PARTS]
    for name, step in [*steps, ("wheels", functools.partial(wheels, fornax))]:
        try:
            counted = step()
        except run.Missing as reason:
            print("the Python suite of %s is skipped, its packages are not to be had: %s" % (name, reason))
            counted = 0, int(a.strict), 1
        passed, failed, skipped = passed + counted[0], failed + counted[1], skipped + counted[2]
    verdict = "FAILED" if failed else "ok"
    print("test result: %s. %d passed; %d failed; %d skipped (python)" % (verdict, passed, failed, skipped))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
