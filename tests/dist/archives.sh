#!/usr/bin/env bash
# `make dist`: target/dist/fornax-VERSION-ARCH-linux.tar.xz (compiler and runtime), fornax-runtime-… (runtime only), SHA256SUMS.
# The same binaries give the same bytes: names are sorted, owners are 0, times are those of the commit.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
system=$(uname -m)-linux
when=$(git log -1 --format=%ct 2>/dev/null || date +%s)
out=target/dist
rm -rf "$out" && mkdir -p "$out"
for kind in fornax:release fornax-runtime:deploy; do
    name=${kind%%:*}-$version-$system
    tests/dist/stage.sh "target/${kind#*:}/fornax" "$out/$name"
    tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$when" -cf - "$name" | xz -T2 -6 >"$out/$name.tar.xz"
    rm -rf "${out:?}/$name"
done
(cd "$out" && sha256sum -- *.tar.xz >SHA256SUMS)
ls -l "$out" | awk 'NR > 1 {print $5, $9}'
