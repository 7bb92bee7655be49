#!/usr/bin/env bash
# What cargo calls for crates of the workspace while tests are built (RUSTC_WORKSPACE_WRAPPER): clippy, which compiles.
# A crate's unit tests are the crate compiled once more; they run for seconds. Without optimisation those of the passes
# compile in 23 s of processor time for 96, and run as fast. Integration tests do most of their work in crates that stay
# optimised: the slowest seen takes 11 % longer (plan_models, emulated models). Level 3 stays: it interprets kernels.
set -euo pipefail
arguments=" $* "
if [[ $arguments == *" --test "* && $arguments == *" opt-level=1 "* ]]; then
    exec clippy-driver "$@" -C opt-level=0
fi
exec clippy-driver "$@"
