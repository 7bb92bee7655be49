#!/usr/bin/env bash
# Tries the wheels of a folder in bare virtual environments: tests/dist/wheels_check.sh FOLDER. Ends with 3 where packages from PyPI
# cannot be had. The one with the compiler runs the whole suite and its `fornax` command; the other runs a module that the first
# one saved, and says that it has no compiler.
set -euo pipefail
folder=$(realpath "$1")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Bytes that the wheels may take.
limit() { [ "$(stat -c %s "$1")" -lt "$2" ] || { echo "wheels: $1 is larger than $2 bytes" >&2; exit 1; }; }
limit "$folder"/fornax_compiler-*.whl 80000000
limit "$folder"/fornax_runtime-*.whl 3000000

more="pytest==9.2.0 ml_dtypes==0.6.0"
for kind in compiler runtime; do
    ${PYTHON:-python3} -m venv "$work/$kind" || exit 3
    # What the wheel depends on first: where that cannot be had, the wheel is not to blame.
    # shellcheck disable=SC2086
    "$work/$kind/bin/pip" install -q "numpy>=1.24" $more || exit 3
    "$work/$kind/bin/pip" install -q "$folder"/fornax_$kind-*.whl
    more=
done
clean() { env -i PATH=/usr/bin:/bin HOME="$work" "$@"; }
cp -r crates/python/tests "$work/tests"
clean "$work/compiler/bin/fornax" --version
clean "$work/compiler/bin/python" -m pytest -q -p no:cacheprovider "$work/tests"
clean "$work/compiler/bin/fornax" compile --quiet --target=cpu runtime/examples/sines.mlir -o "$work/sines.fnx"
clean "$work/runtime/bin/python" - "$work/sines.fnx" <<'PYTHON'
import sys

import numpy as np

import fornax

module = fornax.load(sys.argv[1])
x = np.arange(4, dtype=np.float32)
assert np.allclose(module(x), np.sin(2 * x + 1))
try:
    fornax.compile("module {}")
except fornax.CompilerMissing as error:
    assert "fornax-compiler" in str(error)
else:
    raise SystemExit("a compiler was found")
PYTHON
[ ! -e "$work/runtime/bin/fornax" ] || { echo "wheels: the runtime has a command" >&2; exit 1; }
echo "wheels: both work as installed"
