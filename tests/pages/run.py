#!/usr/bin/env python3
"""Runs the commands of the newcomer's pages, docs/use/*.md, as they stand there, each page in a fresh folder.

    python3 tests/pages/run.py --fornax target/debug/fornax [--strict] [NAME-PART...]
    python3 tests/pages/run.py --packages      # only installs what the pages install, before there is a binary

A page's fenced blocks, in order:
    ```python   whose first line is `# NAME.py` is written to that file
    ```sh       runs with bash -euo pipefail; `fornax` and the page's Python are on the PATH
    ```text     after a ```sh: each of its lines must be in what that block printed (`…` stands for any text)
Other blocks are left alone. `pip install` lines must pin every package; pages of one group share a virtual environment
under target/pages. Where packages cannot be installed the page is skipped with a word; with --strict that is a failure,
and slow pages run too.
The closing line has the form of cargo's, which tests/run.sh adds up.
"""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = ROOT / "docs" / "use"

# Page and the virtual environment it runs in.
GROUPS = {
    "from-jax": "jax",
    "from-python": "jax",
    "from-keras": "jax",
    "weights": "jax",
    "from-checkpoint": "checkpoint",
    "from-onnx": "onnx",
    "from-tensorflow": "tensorflow",
    "from-pytorch": "torch",
    "serving-from-python": "serving",
    "processes": "serving",
}
# Pages that import the Python package.
PACKAGED = ("from-python", "from-pytorch", "from-jax", "serving-from-python")
# Pages without packages of Python: tests/cli/pages.rs runs them.
ELSEWHERE = {"from-c", "from-rust"}
# Pages that start servers or clusters: only with --strict (`make test-pages`) or by name.
SLOW = ("serving-from-python", "processes")
# Free bytes that the packages of a group want: PyPI has torch with CUDA only, 6 GB of it.
ROOM = {"torch": 12 << 30, "tensorflow": 4 << 30, "serving": 2 << 30}
# Seconds for the packages of a page (torch: 3 GB), and for any other block.
INSTALL_LIMIT = 600
BLOCK_LIMIT = 180

# Modules are compiled when they are imported, not all of a package's at once: of torch's 98 s of processor time 30.
# pip takes the value as what `compile` is.
LAZILY = {"PIP_NO_COMPILE": "0"}
# Before the pages run, uv installs what pip would, in a third of the processor time (torch: 20 s for 59). Pages then
# find it there. Without uv pip does it.
FASTER = "uv==0.13.9"
# What pip is told by its environment, as uv is told.
AS_UV = {"PIP_INDEX_URL": "UV_DEFAULT_INDEX", "PIP_EXTRA_INDEX_URL": "UV_INDEX", "PIP_FIND_LINKS": "UV_FIND_LINKS",
         "PIP_CERT": "SSL_CERT_FILE"}

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Wrong(Exception):
    pass


class Missing(Exception):
    pass


def venv(group):
    """The folder of programs of the group's virtual environment."""
    folder = ROOT / "target" / "pages" / group
    if not (folder / "bin" / "python3").exists():
        free = shutil.disk_usage(ROOT).free
        if free < ROOM.get(group, 0):
            raise Missing("%d GB free, %d wanted" % (free >> 30, ROOM[group] >> 30))
        done = subprocess.run([sys.executable, "-m", "venv", str(folder)], capture_output=True, text=True)
        if done.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            raise Missing("python3 -m venv fails")
    return folder / "bin"


def python_package(fornax, folder):
    """The folder with the Python package as the wheel has it: its files, and the extension from beside the binary."""
    extension = fornax.parent / "libfornax_python.so"
    if not extension.exists():
        raise Missing("cargo build -p fornax-python makes %s" % extension.name)
    shutil.rmtree(folder, ignore_errors=True)
    leave = shutil.ignore_patterns("*.so", "bin", "__pycache__")
    shutil.copytree(ROOT / "crates" / "python" / "python", folder, ignore=leave)
    shutil.copy(extension, folder / "fornax" / "_native.abi3.so")
    plugin = fornax.parent / "libfornax_pjrt.so"
    if plugin.exists():
        shutil.copy(plugin, folder / "fornax" / plugin.name)
    # By its entry points JAX and PyTorch find the package.
    data = folder / "fornax_compiler-0.dist-info"
    data.mkdir()
    (data / "METADATA").write_text("Metadata-Version: 2.1\nName: fornax-compiler\nVersion: 0\n")
    project = (ROOT / "crates" / "python" / "pyproject.toml").read_text()
    groups = re.findall(r'^\[project\.entry-points\."(\w+)"\]\n(\w+) = "([^"]+)"', project, re.MULTILINE)
    (data / "entry_points.txt").write_text("".join("[%s]\n%s = %s\n" % group for group in groups))
    return folder


def shell(code, folder, environment, limit):
    try:
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", code], cwd=folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit)
    except subprocess.TimeoutExpired as late:
        raise Wrong("no end after %d s: %s" % (limit, code.strip())) from late
    return done.returncode, done.stdout


def pinned(code):
    """The packages of a `pip install` block; every one has a version."""
    words = code.split("pip install", 1)[1].split("\n")[0].split()
    loose = [word for word in words if not word.startswith("-") and "==" not in word]
    if loose:
        raise Wrong("not pinned: " + " ".join(loose))


def expect(wanted, printed):
    for line in filter(None, (line.strip() for line in wanted.split("\n"))):
        if not re.search(".*".join(re.escape(part) for part in line.split("…")), printed):
            raise Wrong("the page says that this is printed: %s\nprinted:\n%s" % (line, printed))


def blocks_of(page):
    """The fenced blocks of a page: language and text."""
    return FENCE.findall((PAGES / (page + ".md")).read_text())


def succeeds(command, environment):
    """Whether a command that installs ends well; what it says is not shown."""
    try:
        return subprocess.run(command, capture_output=True, env=environment, timeout=INSTALL_LIMIT).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def installed_by_uv(words, programs):
    """Whether uv has installed packages, given as pip's arguments; uv itself is installed where it is not."""
    folder = ROOT / "target" / "pages" / "uv"
    uv = folder / "bin" / "uv"
    install = [sys.executable, "-m", "pip", "install", "-q", "--target", str(folder), FASTER]
    if not uv.exists() and not succeeds(install, {**os.environ, **LAZILY}):
        return False
    told = {own: os.environ[pips] for pips, own in AS_UV.items() if pips in os.environ}
    install = [str(uv), "pip", "install", "--no-cache", "--python", str(programs / "python3"), *words]
    return succeeds(install, {**os.environ, **told})


def packages(page):
    """Installs the packages of a page."""
    programs = venv(GROUPS[page])
    path = os.pathsep.join([str(programs), os.environ.get("PATH", "")])
    for language, code in blocks_of(page):
        if language == "sh" and "pip install" in code:
            pinned(code)
            if installed_by_uv(code.split("pip install", 1)[1].split("\n")[0].split(), programs):
                continue
            status, printed = shell(code, None, {**os.environ, **LAZILY, "PATH": path}, INSTALL_LIMIT)
            if status:
                raise Missing(printed.strip().split("\n")[-1])


def run(page, fornax):
    programs = venv(GROUPS[page])
    path = os.pathsep.join([str(programs), str(fornax.parent), os.environ.get("PATH", "")])
    environment = {**os.environ, **LAZILY, "PATH": path, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    environment.pop("PYTHONPATH", None)
    environment["FORNAX_MODULE_CACHE"] = "off"
    if page in PACKAGED:
        package = str(python_package(fornax, ROOT / "target" / "pages" / "package"))
        environment["PYTHONPATH"] = package
        # Interpreters inside of other programs (Triton's) know installed packages only.
        for installed in programs.parent.glob("lib/python*/site-packages"):
            (installed / "fornax-of-this-tree.pth").write_text(package + "\n")
    printed, blocks = "", 0
    with tempfile.TemporaryDirectory(prefix="fornax-page-") as folder:
        for language, code in blocks_of(page):
            if language == "python":
                name = re.match(r"# ([\w-]+\.py)\n", code)
                if not name:
                    raise Wrong("a python block does not begin with `# NAME.py`")
                (pathlib.Path(folder) / name[1]).write_text(code)
            elif language == "sh":
                install = "pip install" in code
                if install:
                    pinned(code)
                status, printed = shell(code, folder, environment, INSTALL_LIMIT if install else BLOCK_LIMIT)
                if status and install:
                    raise Missing(printed.strip().split("\n")[-1])
                if status:
                    raise Wrong("%s\nexit code %d:\n%s" % (code.strip(), status, printed))
                blocks += 1
            elif language == "text":
                expect(code, printed)
    if blocks < 2:
        raise Wrong("only %d blocks to run" % blocks)
    return blocks


def chosen(page, arguments):
    if arguments.parts:
        return any(part in page for part in arguments.parts)
    return page not in SLOW or arguments.strict


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fornax", type=pathlib.Path)
    parser.add_argument("--packages", action="store_true")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("parts", nargs="*")
    a = parser.parse_args()
    pages = [page for page in GROUPS if chosen(page, a)]
    if a.packages:
        # What cannot be had is said when the pages run.
        for page in pages:
            with contextlib.suppress(Missing):
                packages(page)
        return 0
    if not a.fornax:
        parser.error("--fornax BINARY runs the pages")
    fornax = a.fornax.resolve()
    passed, failed, skipped = 0, 0, 0
    unlisted = sorted(page.stem for page in PAGES.glob("from-*.md") if page.stem not in GROUPS.keys() | ELSEWHERE)
    for page in unlisted:
        failed += 1
        print("%s: not listed in GROUPS" % page)
    for page in pages:
        began = time.time()
        try:
            blocks = run(page, fornax)
            passed += 1
            print("page %s: %d blocks, %.0f s" % (page, blocks, time.time() - began), flush=True)
        except Missing as reason:
            skipped += 1
            failed += a.strict
            print("page %s skipped, its packages are not to be had: %s" % (page, reason), flush=True)
        except Wrong as reason:
            failed += 1
            print("page %s FAILED: %s" % (page, reason), flush=True)
    verdict = "FAILED" if failed else "ok"
    print("test result: %s. %d passed; %d failed; %d skipped (pages)" % (verdict, passed, failed, skipped))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
