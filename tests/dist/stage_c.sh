#!/usr/bin/env bash
# Lays the C interface out: tests/dist/stage_c.sh BUILT FOLDER [PREFIX]. BUILT is the folder that cargo built
# libfornax.so and libfornax.a in. FOLDER becomes PREFIX where it is used (`make install-c` gives DESTDIR and PREFIX).
#   include/fornax.h
#   lib/libfornax.so.VERSION, with its links, and lib/libfornax.a
#   lib/pkgconfig/fornax.pc
set -euo pipefail
built=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
prefix=${3:-$folder}
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)

install -D -m 644 crates/c-api/include/fornax.h "$folder/include/fornax.h"
# A build that was not asked for the library by name leaves it among its parts.
[ -e "$built/libfornax.so" ] || built=$built/deps
install -D -m 755 "$built/libfornax.so" "$folder/lib/libfornax.so.$version"
ln -sf "libfornax.so.$version" "$folder/lib/libfornax.so.0"
ln -sf libfornax.so.0 "$folder/lib/libfornax.so"
install -D -m 644 "$built/libfornax.a" "$folder/lib/libfornax.a"
mkdir -p "$folder/lib/pkgconfig"
sed -e "s|@PREFIX@|$prefix|" -e "s|@VERSION@|$version|" crates/c-api/fornax.pc.in >"$folder/lib/pkgconfig/fornax.pc"
