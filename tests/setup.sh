#!/usr/bin/env bash
# Installs what building Fornax needs, where it is missing: LLVM 22 with MLIR, lld (a second judge in tests), libclang, zlib, zstd, a C compiler.
set -euo pipefail
prefix=${MLIR_SYS_220_PREFIX:-/usr/lib/llvm-22}
need=()
[ -e "$prefix/lib/libLLVMCore.a" ] || need+=(llvm-22-dev)
[ -e "$prefix/lib/libMLIRIR.a" ] || need+=(libmlir-22-dev)
[ -x "$prefix/bin/mlir-tblgen" ] || need+=(mlir-22-tools)
[ -x "$prefix/bin/ld.lld" ] || need+=(lld-22)
[ -e "$prefix/lib/libPolly.a" ] || need+=(libpolly-22-dev)
ls "$prefix"/lib/libclang*.so* >/dev/null 2>&1 || need+=(libclang-22-dev)
[ -e /usr/include/zlib.h ] || need+=(zlib1g-dev)
[ -e /usr/include/zstd.h ] || need+=(libzstd-dev)
command -v cc >/dev/null || need+=(gcc)
command -v c++ >/dev/null || need+=(g++)
command -v cargo >/dev/null || { echo "setup: no cargo: install Rust 1.90 or later with rustup" >&2; exit 1; }
if [ ${#need[@]} -gt 0 ]; then
    echo "setup: installing ${need[*]}"
    sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${need[@]}" >/dev/null
fi
