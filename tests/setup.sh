#!/usr/bin/env bash
# Installs what building Fornax needs, where it is missing: LLVM 22 with MLIR, lld (a second judge in tests), libclang, zlib, zstd, a C compiler.
# With --browser instead: Chromium, in which a test draws the page of `inspect --report`.
set -euo pipefail
prefix=${MLIR_SYS_220_PREFIX:-/usr/lib/llvm-22}
need=()
install() {
    echo "setup: installing $*"
    sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
if [ "${1:-}" = --browser ]; then
    for name in chromium chromium-browser google-chrome; do
        if command -v $name >/dev/null; then exit 0; fi
    done
    # Only a test wants it: nobody is asked for a password.
    if [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; then install chromium; else echo "setup: no Chromium, and no right to install it"; fi
    exit 0
fi
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
if [ ${#need[@]} -gt 0 ]; then install "${need[@]}"; fi
