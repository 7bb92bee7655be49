#!/usr/bin/env bash
# `make wheel`: target/wheels/fornax_compiler-VERSION-….whl (runtime, and the program with the compiler in it) and fornax_runtime-….whl,
# both tried in bare virtual environments. Both have the same extension and Python files; the program is what differs.
#   tests/dist/wheels.sh BINARY             the `fornax` program of the first wheel
#   tests/dist/wheels.sh BINARY --built     with what `cargo build --workspace --all-targets` made beside it, as CI does
# Ends with 3 where packages from PyPI cannot be had.
set -euo pipefail
binary=$(realpath "${1:-target/release/fornax}")
built=${2:-}
cd "$(dirname "$0")/../.."
root=$PWD
out=$root/target/wheels
rm -rf "$out" && mkdir -p "$out"
tools=$root/target/tools/wheels
[ -x "$tools/bin/maturin" ] || { ${PYTHON:-python3} -m venv "$tools" && "$tools/bin/pip" install -q maturin==1.16.0 wheel==0.48.0; } || exit 3

# The licences of what is in the wheels, as `make dist` gathers them.
staged=$(mktemp -d)
trap 'rm -rf "$staged"' EXIT
tests/dist/stage.sh "$binary" "$staged/prefix"

# The PJRT plugin, which JAX loads; it needs the compiler.
profile=deploy
plugin=target/deploy/libfornax_pjrt.so
if [ -n "$built" ]; then
    profile=dev
    plugin=$(dirname "$binary")/libfornax_pjrt.so
    export FORNAX_PATH=$PATH PATH=$root/tests/dist/built:$PATH
else
    ${CARGO:-cargo} build -q --locked --profile deploy -p fornax-pjrt
fi

# build NAME: a wheel of the staged folder
build() {
    local folder=$staged/$1
    mkdir -p "$folder"
    cp -r crates/python/python crates/python/README.md crates/python/pyproject.toml LICENSE NOTICE "$folder"
    rm -rf "$folder"/python/fornax/{bin,__pycache__} "$folder"/python/fornax/*.so
    cp "$staged/prefix/share/doc/fornax/THIRD-PARTY" "$folder"
    if [ "$1" = fornax-compiler ]; then
        install -D -m 755 "$staged/prefix/bin/fornax" "$folder/python/fornax/bin/fornax"
        install -m 755 "$plugin" "$folder/python/fornax/libfornax_pjrt.so"
    else
        # No program, and no command of its name.
        sed -i -e "s/^name = .*/name = \"$1\"/" -e 's/^description = .*/description = "Runs models that Fornax compiled"/' \
            -e '/^\[project.scripts\]/,/^$/d' -e '/jax_plugins/,/^$/d' -e '/^include = \[/,/^\]/d' \
            "$folder/pyproject.toml"
    fi
    sed -i "s|^\[tool.maturin\]|&\nmanifest-path = \"$root/crates/python/Cargo.toml\"|" "$folder/pyproject.toml"
    (cd "$folder" && "$tools/bin/maturin" build -q --locked --profile "$profile" --auditwheel skip --compatibility linux -o "$out")
}
build fornax-compiler
build fornax-runtime

# The C library that a wheel needs, newest symbol of what is in it, is its platform.
glibc() {
    "$tools/bin/python" -m zipfile -e "$1" "$2"
    find "$2/fornax" -name '*.so' -o -path '*/bin/fornax' | xargs objdump -T 2>/dev/null | grep -oE 'GLIBC_2\.[0-9]+' | sort -Vu | tail -1 | cut -d. -f2
}
for wheel in "$out"/*.whl; do
    newest=$(glibc "$wheel" "$staged/$(basename "$wheel" .whl)")
    "$tools/bin/python" -m wheel tags --remove --platform-tag="manylinux_2_${newest}_$(uname -m)" "$wheel" >/dev/null
done
ls -l "$out" | awk 'NR > 1 {print $5, $9}'
tests/dist/wheels_check.sh "$out"
