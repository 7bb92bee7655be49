#!/usr/bin/env bash
# Puts Intel's OpenCL runtime for processors (from PyPI, with its loader) into target/opencl and prints the variables under which it is found:
#   eval "$(tests/opencl/setup.sh)"
# Where it is not to be had, or is not asked for (FORNAX_OPENCL_RUNTIME=system), the machine's own loader is taken and nothing is printed.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "${FORNAX_OPENCL_RUNTIME:-}" != system ] || exit 0
folder=$PWD/target/opencl
if [ ! -e "$folder/done" ]; then
    mkdir -p "$folder/icd"
    # The runtime does not name the library of Intel's compilers among what it needs.
    packages=(intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0)
    if ! python3 -m pip install -q --no-warn-script-location --ignore-installed --prefix "$folder" "${packages[@]}" >"$folder/log" 2>&1; then
        echo "setup: Intel's OpenCL runtime is not to be had (target/opencl/log says why); the machine's own is taken" >&2
        exit 0
    fi
    touch "$folder/done"
fi
# Some installations of pip put a folder between.
library=$(find "$folder" -name libintelocl.so | head -1)
lib=$(dirname "$library")
missing=$(LD_LIBRARY_PATH=$lib ldd "$lib/libOpenCL.so.1" "$library" | grep 'not found' || true)
if [ -n "$missing" ]; then
    echo "setup: Intel's OpenCL runtime does not load; the machine's own is taken: $missing" >&2
    exit 0
fi
echo "$library" >"$folder/icd/intel.icd"
echo "export OCL_ICD_VENDORS=$folder/icd/"
echo "export LD_LIBRARY_PATH=$lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
