"""PyTorch modules with sizes of run time for check_torch.py --sizes: name -> () -> (module, dynamic_shapes, inputs).

`inputs` is a list of argument tuples, one a set of sizes; the first is what the module is exported with.
"""

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

BATCH = Dim("batch", min=2, max=256)
LENGTH = Dim("length", min=2, max=64)
SIZED = {}


def sized(make):
    def seeded():
        torch.manual_seed(sum(make.__name__.encode()))
        made, sizes, inputs = make()
        # Arguments in one list have their sizes in one list.
        return made, (tuple(sizes),) if isinstance(made, Function) else sizes, inputs

    SIZED[make.__name__] = seeded
    return make


class Function(nn.Module):
    """A function as a module, with the modules that it uses."""

    def __init__(self, function, **parts):
        super().__init__()
        self.function, self.parts = function, nn.ModuleDict(parts)

    def forward(self, *inputs):
        return self.function(self.parts, *inputs)


def batches(*shape, sizes=(3, 2, 17)):
    return [(torch.randn(n, *shape),) for n in sizes]


@sized
def mlp_any_batch():
    module = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4), nn.Softmax(-1))
    return module.eval(), ({0: BATCH},), batches(8)


@sized
def products_without_bias():
    module = nn.Sequential(nn.Linear(8, 16, bias=False), nn.Tanh(), nn.Linear(16, 4, bias=False))
    return Function(lambda parts, x: module(x), module=module).eval(), ({0: BATCH},), batches(8)


@sized
def convolution_any_batch():
    module = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
                           nn.Conv2d(8, 8, 3, padding=1, groups=4), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5))
    return module.eval(), ({0: BATCH},), batches(3, 16, 20)


@sized
def convolution_and_pools():
    module = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(), nn.MaxPool2d(3, 2, 1), nn.AvgPool2d(2, 1))
    return module.eval(), ({0: BATCH},), batches(3, 17, 15)


@sized
def images_of_any_size():
    module = nn.Sequential(nn.Conv2d(2, 4, 3, stride=2, padding=1), nn.ReLU(), nn.MaxPool2d(3, 2, 1), nn.Conv2d(4, 3, 3, padding=1))
    height, width = Dim("height", min=8, max=64), Dim("width", min=8, max=64)
    inputs = [(torch.randn(n, 2, h, w),) for n, h, w in [(2, 16, 20), (3, 9, 31), (5, 33, 8)]]
    return module.eval(), ({0: BATCH, 2: height, 3: width},), inputs


@sized
def attention_any_batch():
    def run(parts, x):
        b, t, d = x.shape
        q, k, v = parts["qkv"](x).view(b, t, 3, 2, d // 2).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return parts["out"](y.transpose(1, 2).reshape(b, t, d))

    return Function(run, qkv=nn.Linear(16, 48), out=nn.Linear(16, 16)).eval(), ({0: BATCH},), batches(5, 16)


@sized
def attention_any_length():
    def run(_, q, k, v):
        weights = torch.softmax(q @ k.transpose(-1, -2) / 4.0, -1)
        return weights @ v

    inputs = [tuple(torch.randn(2, n, 8) for n in (t, s, s)) for t, s in [(5, 7), (2, 31), (40, 3)]]
    keys = Dim("keys", min=2, max=64)
    return Function(run).eval(), ({1: LENGTH}, {1: keys}, {1: keys}), inputs


@sized
def embedding_any_length():
    def run(parts, x):
        return (parts["words"](x) + parts["places"](torch.arange(x.shape[1]))).sum(1)

    inputs = [(torch.randint(0, 20, (n, t)),) for n, t in [(3, 5), (2, 31), (9, 2)]]
    return Function(run, words=nn.Embedding(20, 8), places=nn.Embedding(64, 8)).eval(), ({0: BATCH, 1: LENGTH},), inputs


@sized
def embedding_any_batch():
    def run(parts, x):
        return parts["words"](x).mean(1)

    inputs = [(torch.randint(0, 20, (n, 5)),) for n in (3, 2, 12)]
    return Function(run, words=nn.Embedding(20, 8)).eval(), ({0: BATCH},), inputs


@sized
def resized_bilinear():
    return Function(lambda _, x: F.interpolate(x, scale_factor=2.0, mode="bilinear")).eval(), ({0: BATCH},), batches(2, 6, 7)


@sized
def resized_nearest():
    return Function(lambda _, x: F.interpolate(x, scale_factor=3.0, mode="nearest")).eval(), ({0: BATCH},), batches(2, 5, 4)


@sized
def reductions_and_norms():
    def run(parts, x):
        centred = x - x.mean(0, keepdim=True)
        return parts["norm"](centred), centred.amax(0), x.argmax(1), x.sum(), torch.cumsum(x, 1)

    return Function(run, norm=nn.LayerNorm(9)).eval(), ({0: BATCH},), batches(9)


@sized
def joined_and_sliced():
    def run(_, x, y):
        both = torch.cat([x, 2 * y, x], 0)
        return both[1:-1], both.flatten(), torch.stack([x, x + 1], 1), F.pad(x, (1, 2, 2, 0))

    rows = Dim("rows", min=2, max=256)
    inputs = [(torch.randn(n, 4), torch.randn(m, 4)) for n, m in [(3, 5), (2, 9), (30, 4)]]
    return Function(run).eval(), ({0: BATCH}, {0: rows}), inputs


@sized
def recurrent_cells():
    def run(parts, x):
        state = x.new_zeros(x.shape[0], 6)
        for step in range(4):
            state = parts["cell"](x[:, step], state)
        return state

    return Function(run, cell=nn.GRUCell(5, 6)).eval(), ({0: BATCH},), batches(4, 5)


@sized
def encoder_layer():
    module = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0)
    return Function(lambda parts, x: parts["layer"](x), layer=module).eval(), ({0: BATCH},), batches(6, 16)


@sized
def chosen_and_masked():
    def run(_, x, y):
        return torch.where(x > y, x, y * 0.5), (x > 0).sum(0), torch.topk(x, 3, 1)[0], torch.sort(x, 1)[0]

    inputs = [(torch.randn(n, 7), torch.randn(n, 7)) for n in (4, 2, 19)]
    return Function(run).eval(), ({0: BATCH}, {0: BATCH}), inputs
