#!/usr/bin/env bash
# `make demo`: compile the trained digit classifier for every backend, run it on images it has not seen, on the best
# device there is; then MobileNetV2 exported by Keras, if JAX and Keras are installed.
set -euo pipefail
cd "$(dirname "$0")/.."
fornax=$PWD/target/release/fornax
data=tests/model/digits
out=target/demo
mkdir -p "$out"

device=$("$fornax" list-devices 2>/dev/null | grep -E '^(cuda|rocm)://' | head -1 || true)
device=${device:-cpu}
echo "== devices"
"$fornax" list-devices
echo "== compile $data/model.mlir for CUDA, ROCm and CPU"
"$fornax" compile --target-backends=cuda,rocm,cpu --cuda-target=sm_60,sm_80,sm_90 --rocm-target=gfx908,gfx942 --cpu-target=x86-64-v3 \
    --parameters-from="$data/args.json" "$data/model.mlir" -o "$out/digits.fnx"
ls -l "$out/digits.fnx" | awk '{print "   " $5 " bytes"}'
echo "== run on $device: ten images that training did not see"
right=0
for digit in 0 1 2 3 4 5 6 7 8 9; do
    line=$("$fornax" run-module --device="$device" --module="$out/digits.fnx" --function=predict \
        --parameters="$data/weights.safetensors" --input=@"$data/digit_$digit.npy" \
        --expected-output=@"$data/expected_$digit.npy" --timing 2>"$out/timing.txt")
    guess=$(echo "$line" | grep -oE '1x10xf32=.*' | sed 's/1x10xf32=//; s/[][]//g' | tr ' ' '\n' | awk 'NF {if ($1 > best) {best = $1; at = n} n++} END {printf "%d (probability %.4f)", at, best}')
    time=$(grep -oE 'call [0-9.]+ ms' "$out/timing.txt" | head -1 || true)
    echo "   image of a $digit: answer $guess, $time"
    [ "${guess%% *}" = "$digit" ] && right=$((right + 1))
done
echo "   $right of 10 right, every probability equal to JAX's"

if python3 -c 'import jax, keras' 2>/dev/null; then
    echo "== MobileNetV2"
    python3 tests/model/check_models.py --fornax "$fornax" --device "$device" mobilenet_v2
else
    echo "== MobileNetV2 skipped: needs the Python packages jax and keras"
fi
