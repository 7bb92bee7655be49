#!/usr/bin/env bash
# Every test that CI runs, and clippy. Prints "N passed, N failed" last; fails if anything failed.
set -uo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
# PTX goes through ptxas where one can be had: the one on the PATH, FORNAX_PTXAS, or the PyPI package.
if [ -z "${FORNAX_PTXAS:-}" ] && ! command -v ptxas >/dev/null; then
    folder=target/ptxas
    [ -e "$folder/done" ] || { python3 -m pip install -q --no-deps --target "$folder" nvidia-cuda-nvcc-cu12==12.9.86 >/dev/null 2>&1 && touch "$folder/done"; }
    found=$PWD/$folder/nvidia/cuda_nvcc/bin/ptxas
    if [ -x "$found" ]; then export FORNAX_PTXAS=$found; else echo "ptxas is not to be had: tests that need it skip with a word"; fi
fi
# Of the kernels that tests compile a quarter are the same. An entry is of one build of the compiler: another compiles anew.
export FORNAX_KERNEL_STORE=${FORNAX_KERNEL_STORE-$PWD/target/kernels}
# What tests want besides comes while cargo builds, which for minutes keeps one core only: the browser that the report's
# test draws its pages in, and the packages of the newcomer's pages. What needs them skips with a word without them.
{ tests/setup.sh --browser || true; python3 tests/pages/run.py --packages; } >/dev/null 2>&1 &
packages=$!
trap 'rm -f "$log"; kill "$packages" 2>/dev/null' EXIT
# All at once, the binary and Python's extension among it: crates built apart have other features, and are built again.
# Clippy reads the workspace's crates as it compiles them; alone it would read all of them, and what they use, once more.
export RUSTC_WORKSPACE_WRAPPER=$PWD/tests/rustc.sh
cargo build --color=never --workspace --all-targets 2>&1 | tee "$log" || exit 1
if grep -q '^warning' "$log"; then echo "warnings are errors here"; exit 1; fi
# The newcomer's pages, with packages from PyPI, and the suite of the Python package in their virtual environments, while
# cargo's tests run. Without a network they are skipped with a word.
pages=$(mktemp)
trap 'rm -f "$log" "$pages"; kill "$packages" 2>/dev/null' EXIT
(
    code=0
    tail --pid="$packages" -f /dev/null
    python3 tests/pages/run.py --fornax target/debug/fornax || code=1
    python3 tests/pages/python_suite.py --fornax target/debug/fornax || code=1
    exit "$code"
) >"$pages" 2>&1 &
background=$!
cargo test --workspace --no-fail-fast 2>&1 | tee "$log" || status=1
wait "$background" || status=1
tee -a "$log" <"$pages"
passed=$(awk '/^test result:/ {p += $4} END {print p + 0}' "$log")
failed=$(awk '/^test result:/ {f += $6} END {print f + 0}' "$log")
echo "$passed passed, $failed failed"
[ "$status" = 0 ] && [ "$failed" = 0 ]
