#!/usr/bin/env bash
# What cargo calls for crates of the workspace while tests are built (RUSTC_WORKSPACE_WRAPPER): clippy, which compiles.
# A crate's unit tests are the crate compiled once more; they run for seconds. Without optimisation those of the passes
# compile in 23 s of processor time for 96, and run as fast. Integration tests do most of their work in crates that stay
# optimised: the slowest seen takes 11 % longer (plan_models, emulated models). So do tests of the emulators, whose
# crates are of level 3: 7 s for 28, and as fast.
set -euo pipefail
arguments=" $* "
if [[ $arguments == *" --test "* ]]; then
    exec clippy-driver "$@" -C opt-level=0
fi
exec clippy-driver "$@"
