#!/usr/bin/env bash
# What cargo calls for crates of the workspace while tests are built (RUSTC_WORKSPACE_WRAPPER): clippy, which compiles.
# A crate's unit tests are the crate compiled once more. They run for seconds, and without optimisation they are compiled
# in a third of the time. Crates of level 3 stay as they are: they interpret kernels.
set -euo pipefail
arguments=" $* "
if [[ $arguments == *" --test "* && $arguments == *" opt-level=1 "* ]]; then
    exec clippy-driver "$@" -C opt-level=0
fi
exec clippy-driver "$@"
