#!/usr/bin/env python3
"""Nets of torchvision, timm and transformers through `torch.compile(backend="fornax")`, against eager.

    pip install torch==2.15.0 torchvision==0.29.2 timm==1.0.31 transformers==5.17.0 numpy==2.4.6
    cargo build -p fornax-cli -p fornax-pjrt -p fornax-python
    python3 tests/model/check_torch_nets.py target/debug/fornax [NAME…] [--only REGEX] [--train]

Weights are random, images and sequences small, configurations of transformers tiny; `torch_nets.py` has the nets. Each
runs in eval mode. With --train it takes a step of training instead, without dropout: the loss is the mean square of all
results, and the gradients of all parameters are compared. A net passes where no part is left to PyTorch and its error
is small: the norm of the difference from eager in 64 bits over the norm, at most 1e-4, or 4 times that of eager in 32
bits. Exit code 1 if one does not pass.
"""
import argparse
import copy
import logging
import os
import pathlib
import re
import sys
import tempfile
import time

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "pages")]
import run as pages  # noqa: E402
import torch_nets  # noqa: E402

TOLERANCE, TIMES_EAGER = 1e-4, 4


def tensors_of(value):
    """All floating-point tensors of a result, in order."""
    import torch
    from torch.utils import _pytree

    values = value.to_tuple() if hasattr(value, "to_tuple") else value
    return [leaf for leaf in _pytree.tree_leaves(values) if isinstance(leaf, torch.Tensor) and leaf.is_floating_point()]


def results(call, model, given, train):
    """What is compared: the results, or the gradients after a step."""
    import torch

    if not train:
        with torch.no_grad():
            return [part.double() for part in tensors_of(call(**given))]
    model.zero_grad(set_to_none=True)
    sum(part.square().mean() for part in tensors_of(call(**given)) if part.requires_grad).backward()
    return [weight.grad.double().clone() for weight in model.parameters() if weight.grad is not None]


def error(found, wanted):
    if [part.shape for part in found] != [part.shape for part in wanted]:
        raise ValueError(f"shapes {[tuple(part.shape) for part in found]} for {[tuple(part.shape) for part in wanted]}")
    far = sum(((a - b).norm() ** 2).item() for a, b in zip(found, wanted)) ** 0.5
    whole = sum((b.norm() ** 2).item() for b in wanted) ** 0.5
    if not whole > 1e-20:
        raise ValueError(f"results of norm {whole:.0e} compare nothing")
    return far / whole


def check(name, train):
    import fornax
    import torch

    torch._dynamo.reset()
    torch.manual_seed(0)
    model, given = torch_nets.NETS[name]()
    model.train() if train else model.eval()
    with torch.no_grad():
        for weight in model.parameters():
            # Some begin with zeros, which would hide what lies before them.
            if not weight.any():
                weight.normal_(std=0.02)
    for part in model.modules():
        # Random numbers are no part of the comparison.
        for rate in ("p", "drop_prob"):
            if isinstance(getattr(part, rate, None), float):
                setattr(part, rate, 0.0)
    state = copy.deepcopy(model.state_dict())
    found = results(torch.compile(model, backend=fornax.torch_backend), model, given, train)
    model.load_state_dict(state)
    eager = results(model, model, given, train)
    model.load_state_dict(state)
    model.double()
    wide = {key: part.double() if getattr(part, "is_floating_point", bool)() else part for key, part in given.items()}
    try:
        wanted = results(model, model, wide, train)
    except RuntimeError:
        # PyTorch has operators without 64 bits (grouped products).
        wanted = eager
    return error(found, wanted), error(eager, wanted)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fornax")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--only", default="")
    parser.add_argument("--train", action="store_true")
    args = parser.parse_intermixed_args()
    names = args.names or [name for name in torch_nets.NETS if re.search(args.only, name)]
    fornax = pathlib.Path(args.fornax).resolve()
    said, passed = [], 0
    keeper = logging.Handler()
    keeper.emit = lambda record: said.append(record.getMessage())
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, str(pages.python_package(fornax, pathlib.Path(folder) / "package")))
        os.environ["PATH"] = os.pathsep.join([str(fornax.parent), os.environ.get("PATH", "")])
        os.environ["FORNAX_MODULE_CACHE"] = "off"
        logging.getLogger("fornax").addHandler(keeper)
        for name in names:
            begin = time.time()
            said.clear()
            try:
                ours, eager = check(name, args.train)
                good = ours <= max(TOLERANCE, TIMES_EAGER * eager) and not said
                words = "; ".join([f"error {ours:.1e}, eager {eager:.1e}", *dict.fromkeys(said)])
            except Exception as why:
                good, words = False, f"{type(why).__name__}: {' '.join(str(why).split())[:300]}"
            passed += good
            print(f"{'pass' if good else 'FAIL'} {name}: {words} ({time.time() - begin:.0f} s)", flush=True)
    print(f"{passed} of {len(names)} nets pass")
    sys.exit(passed < len(names))


if __name__ == "__main__":
    main()
