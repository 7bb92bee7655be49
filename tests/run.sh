#!/usr/bin/env bash
# Every test that CI runs, after lint. Prints "N passed, N failed" last; fails if anything failed.
set -uo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
cargo build -p fornax-cli || exit 1
cargo test --workspace --no-fail-fast 2>&1 | tee "$log" || status=1
passed=$(awk '/^test result:/ {p += $4} END {print p + 0}' "$log")
failed=$(awk '/^test result:/ {f += $6} END {print f + 0}' "$log")
echo "$passed passed, $failed failed"
[ "$status" = 0 ] && [ "$failed" = 0 ]
