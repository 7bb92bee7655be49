#!/usr/bin/env python3
"""torchvision's nets for classification through `torch.compile(backend="fornax")`, against eager.

    pip install torch==2.15.0 torchvision==0.29.2 numpy==2.4.6
    cargo build -p fornax-cli -p fornax-pjrt -p fornax-python
    python3 tests/model/check_torchvision.py target/debug/fornax [NAME…]

Without a NAME: one net of each family. Weights are random, each net runs in eval mode on small images. A net passes
where no part is left to PyTorch and every score is within 1e-3 of eager's, relative to the largest. Exit code 1 if one
does not.
"""
import argparse
import logging
import os
import pathlib
import sys
import tempfile
import time

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "pages"))
import run as pages  # noqa: E402

FAMILIES = """
alexnet convnext_tiny densenet121 efficientnet_b0 efficientnet_v2_s googlenet inception_v3 maxvit_t mnasnet0_5
mobilenet_v2 mobilenet_v3_small regnet_x_400mf regnet_y_400mf resnet18 resnext50_32x4d shufflenet_v2_x0_5
squeezenet1_1 swin_t swin_v2_t vgg11_bn vit_b_32 wide_resnet50_2
""".split()
# Pixels of a side, where 64 are too few.
SIDES = {"alexnet": 96, "inception_v3": 96, "maxvit_t": 224, "vit_b_32": 224, "squeezenet1_1": 96}
TOLERANCE = 1e-3


def check(name, said):
    import fornax
    import torch
    import torchvision

    torch.manual_seed(0)
    torch._dynamo.reset()
    more = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    model = torchvision.models.get_model(name, weights=None, **more).eval()
    side = SIDES.get(name, 64)
    images = torch.randn(2, 3, side, side)
    said.clear()
    with torch.no_grad():
        wanted = model(images)
        found = torch.compile(model, backend=fornax.torch_backend)(images)
    off = ((found - wanted).abs().max() / wanted.abs().max()).item()
    return off, f"off by {off:.1e}" + "".join(f"; {line}" for line in said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fornax")
    parser.add_argument("names", nargs="*", metavar="NAME", default=FAMILIES)
    args = parser.parse_args()
    fornax = pathlib.Path(args.fornax).resolve()
    said, passed = [], 0
    keeper = logging.Handler()
    keeper.emit = lambda record: said.append(record.getMessage())
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, str(pages.python_package(fornax, pathlib.Path(folder) / "package")))
        os.environ["PATH"] = os.pathsep.join([str(fornax.parent), os.environ.get("PATH", "")])
        os.environ["FORNAX_MODULE_CACHE"] = "off"
        logging.getLogger("fornax").addHandler(keeper)
        for name in args.names:
            begin = time.time()
            try:
                off, words = check(name, said)
                good = off <= TOLERANCE and not said
            except Exception as error:
                good, words = False, f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
            passed += good
            print(f"{'pass' if good else 'FAIL'} {name}: {words} ({time.time() - begin:.0f} s)", flush=True)
    print(f"{passed} of {len(args.names)} nets pass")
    sys.exit(passed < len(args.names))


if __name__ == "__main__":
    main()
