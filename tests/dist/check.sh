#!/usr/bin/env bash
# Installs into an empty root and runs the demo model there: tests/dist/check.sh COMPILER [RUNTIME], each an archive of `make dist`
# or a folder as stage.sh lays it out. The root holds the installation, the libraries that the dynamic loader asks for, and an empty
# folder for temporary files; nothing else of this machine, and no variable. Where the system forbids new roots the commands
# run in a folder without variables.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
model=/opt/fornax/share/doc/fornax/examples/digits

isolated=true
unshare --mount --pid --fork --mount-proc true 2>/dev/null || isolated=false
$isolated || echo "check: no new roots on this system: the commands see its files"

# install_in ROOT PACKAGE
install_in() {
    mkdir -p "$1/opt/fornax" "$1/proc" "$1/tmp" "$1/out"
    if [ -d "$2" ]; then cp -r "$2/." "$1/opt/fornax"; else tar -C "$1/opt/fornax" --strip-components=1 -xf "$2"; fi
    ldd "$1/opt/fornax/bin/fornax" | grep -oE '/[^ ]+' | while read -r library; do
        install -D "$library" "$1$library"
    done
}

# inside ROOT ARGUMENT...: fornax with arguments; paths that begin with / are of the root
inside() {
    local root=$1
    shift
    if $isolated; then
        env -i unshare --mount --pid --fork --root="$root" --mount-proc /opt/fornax/bin/fornax "$@"
    else
        (cd "$root" && env -i "$root/opt/fornax/bin/fornax" "${@//\/o/$root\/o}")
    fi
}

install_in "$work/compiler" "$1"
for file in bin/fornax share/man/man1/fornax.1 share/man/man1/fornax-compile.1 share/bash-completion/completions/fornax \
    share/zsh/site-functions/_fornax share/fish/vendor_completions.d/fornax.fish \
    share/doc/fornax/{LICENSE,NOTICE,README.md,CHANGELOG.md,CONTRIBUTING.md,SECURITY.md,THIRD-PARTY,docs/measured/speed.svg,docs/use/from-jax.md}; do
    [ -s "$work/compiler/opt/fornax/$file" ] || { echo "check: $file is missing" >&2; exit 1; }
done
inside "$work/compiler" compile --quiet --target=cuda:sm_80,rocm:gfx942,cpu --parameters-from=$model/args.json $model/model.mlir -o /out/digits.fnx
runs=("$work/compiler")
if [ $# -gt 1 ]; then
    install_in "$work/runtime" "$2"
    cp "$work/compiler/out/digits.fnx" "$work/runtime/out"
    runs+=("$work/runtime")
fi
for root in "${runs[@]}"; do
    inside "$root" --version
    inside "$root" run-module --module=/out/digits.fnx --parameters=$model/weights.safetensors \
        --input=@$model/digit_7.npy --expected-output=@$model/expected_7.npy
done
echo "check: the demo runs as installed"
