#!/usr/bin/env bash
# Lays an installation out: tests/dist/stage.sh BINARY FOLDER, where FOLDER is the prefix (`make install` gives DESTDIR and PREFIX).
#   bin/fornax                       stripped
#   share/man/man1/*.1               what the binary itself writes, as are the completions
#   share/bash-completion, share/zsh, share/fish
#   share/doc/fornax                 README and all of docs, licences, the demo model in examples/digits
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
prefix=$(realpath "$2")
cd "$(dirname "$0")/../.."

install -D -m 755 "$binary" "$prefix/bin/fornax"
strip "$prefix/bin/fornax"

mkdir -p "$prefix/share/man/man1"
"$binary" man "$prefix/share/man/man1" >/dev/null
shells=(bash:bash-completion/completions/fornax zsh:zsh/site-functions/_fornax fish:fish/vendor_completions.d/fornax.fish)
for shell in "${shells[@]}"; do
    mkdir -p "$(dirname "$prefix/share/${shell#*:}")"
    "$binary" completions "${shell%%:*}" >"$prefix/share/${shell#*:}"
done

doc=$prefix/share/doc/fornax
mkdir -p "$doc/examples/digits"
install -m 644 LICENSE NOTICE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md "$doc"
cp -r docs "$doc"
data=tests/model/digits
install -m 644 $data/{model.mlir,args.json,weights.safetensors,digit_7.npy,expected_7.npy} "$doc/examples/digits"

compiler=true
"$binary" --version | grep -q '^features:.*compiler' || compiler=false
# The licence files of the crates in NOTICE's table that this binary holds. A text that stood before is only referred to.
sources=${CARGO_HOME:-$HOME/.cargo}/registry/src
declare -A seen
while read -r name version place _; do
    $compiler || [ "$place" = both ] || continue
    for file in "$sources"/*/"$name-$version"/{LICEN[CS]E,COPYING,NOTICE,UNLICENSE}*; do
        [ -f "$file" ] || continue
        sum=$(sha256sum <"$file")
        echo "==== $name $version: $(basename "$file")"
        if [ -n "${seen[$sum]:-}" ]; then echo "The text of ${seen[$sum]}, above."; else cat "$file"; fi
        echo
        seen[$sum]=${seen[$sum]:-$name $version}
    done
done < <(sed -n '/^--- crates/,/^--- end/p' NOTICE | grep -E '^[a-z]' | grep -v '^crate ') >"$doc/THIRD-PARTY"
# Debian's file of LLVM's licences, where LLVM came from Debian; the runtime holds no LLVM.
llvm=/usr/share/doc/llvm-22-dev/copyright
if $compiler && [ -f "$llvm" ]; then
    { echo "==== LLVM and MLIR"; cat "$llvm"; } >>"$doc/THIRD-PARTY"
fi
