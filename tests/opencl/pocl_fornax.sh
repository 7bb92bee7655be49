#!/usr/bin/env bash
# The binary under test on PoCL, for FORNAX_BIN: what runs kernels runs there (pocl.sh), compiling as ever. FORNAX names the binary.
here=$(dirname "$(readlink -f "$0")")
fornax=${FORNAX:-$here/../../target/release/fornax}
case ${1:-} in
    run-module | bench | list-devices | doctor) exec "$here/pocl.sh" "$(readlink -f "$fornax")" "$@" ;;
    *) exec "$fornax" "$@" ;;
esac
