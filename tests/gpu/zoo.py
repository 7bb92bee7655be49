"""Torch models at deployment sizes: name -> function that makes (module, inputs), float32, random weights of a fixed seed.

Used by tests/gpu/zoo_export.py (shapes only) and tests/gpu/zoo_run.py (on the GPU). ResNet50, MobileNetV2 and ViT-B/16 are torchvision's;
the others are written out below, of the sizes that their names are known for. A model is one forward pass of an inference server: no dropout,
no sampling. States (caches) are inputs and outputs.

`build(name, dtype)` casts weights and floating inputs.
"""

import torch
from torch import nn
from torch.nn import functional as F

MODELS = {}


def model(*variants):
    """Registers a maker once for each variant: (suffix, arguments)."""
    def register(make):
        for suffix, arguments in variants:
            MODELS[make.__name__ + suffix] = lambda make=make, arguments=arguments: make(*arguments)
        return make
    return register


def heads_of(x, heads):
    """[b, s, h·d] -> [b, h, s, d]"""
    return x.view(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def merged(x):
    """[b, h, s, d] -> [b, s, h·d]"""
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)


@model(("_b1", (1,)), ("_b32", (32,)))
def resnet50(batch):
    import torchvision
    return torchvision.models.resnet50(), (torch.randn(batch, 3, 224, 224),)


@model(("_b1", (1,)), ("_b32", (32,)))
def mobilenet_v2(batch):
    import torchvision
    return torchvision.models.mobilenet_v2(), (torch.randn(batch, 3, 224, 224),)


@model(("_b1", (1,)))
def vit_b16(batch):
    """ViT-B/16 at 224², 197 tokens, pre-norm."""
    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads, self.n1, self.n2 = heads, nn.LayerNorm(width, eps=1e-6), nn.LayerNorm(width, eps=1e-6)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            q, k, v = self.qkv(self.n1(x)).chunk(3, -1)
            x = x + self.out(merged(F.scaled_dot_product_attention(heads_of(q, self.heads), heads_of(k, self.heads), heads_of(v, self.heads))))
            return x + self.down(F.gelu(self.up(self.n2(x))))

    class Vit(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch = nn.Conv2d(3, 768, 16, 16)
            self.cls, self.positions = nn.Parameter(0.02 * torch.randn(1, 1, 768)), nn.Parameter(0.02 * torch.randn(1, 197, 768))
            self.blocks = nn.Sequential(*[Block(768, 12) for _ in range(12)])
            self.norm, self.head = nn.LayerNorm(768, eps=1e-6), nn.Linear(768, 1000)

        def forward(self, image):
            x = self.patch(image).flatten(2).transpose(1, 2)
            x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1) + self.positions
            return self.head(self.norm(self.blocks(x))[:, 0])

    return Vit(), (torch.randn(batch, 3, 224, 224),)


@model(("_s128_b1", (1, 128)), ("_s128_b8", (8, 128)))
def bert_base(batch, length):
    """BERT-base's encoder with embeddings, token types left out: post-norm, exact gelu."""
    class Layer(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.n1, self.n2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)

        def forward(self, x):
            q, k, v = (heads_of(part(x), self.heads) for part in (self.q, self.k, self.v))
            x = self.n1(x + self.out(merged(F.scaled_dot_product_attention(q, k, v))))
            return self.n2(x + self.down(F.gelu(self.up(x))))

    class Bert(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(30522, 768), nn.Parameter(0.02 * torch.randn(length, 768))
            self.norm, self.layers = nn.LayerNorm(768, eps=1e-12), nn.Sequential(*[Layer(768, 12) for _ in range(12)])

        def forward(self, ids):
            return self.layers(self.norm(self.tokens(ids) + self.positions))

    return Bert(), (torch.randint(0, 30522, (batch, length)),)


class Gpt2Block(nn.Module):
    """Pre-norm, one product for queries, keys and values, tanh gelu. With a cache: one new token at `place`."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.n1, self.n2 = heads, nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, cache=None, place=None, visible=None):
        q, k, v = (heads_of(part, self.heads) for part in self.qkv(self.n1(x)).chunk(3, -1))
        if cache is None:
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            k, v = cache[0].index_copy(2, place, k), cache[1].index_copy(2, place, v)
            cache = (k, v)
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
        x = x + self.out(merged(mixed))
        return x + self.down(F.gelu(self.up(self.n2(x)), approximate="tanh")), cache


class Gpt2(nn.Module):
    def __init__(self, length, layers=12, width=768, heads=12):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(50257, width), nn.Embedding(length, width)
        self.blocks, self.norm = nn.ModuleList([Gpt2Block(width, heads) for _ in range(layers)]), nn.LayerNorm(width)
        self.head = nn.Linear(width, 50257, bias=False)


@model(("_s512", (512,)))
def gpt2_prefill(length):
    """GPT-2 small over a prompt; logits of the last token."""
    class Prefill(Gpt2):
        def forward(self, ids):
            x = self.tokens(ids) + self.positions.weight
            for block in self.blocks:
                x, _ = block(x)
            return self.head(self.norm(x[:, -1]))

    return Prefill(length), (torch.randint(0, 50257, (1, length)),)


@model(("_c1024", (1024,)))
def gpt2_decode(length):
    """GPT-2 small, one token with a cache of `length` places; logits and the new caches."""
    class Decode(Gpt2):
        def forward(self, ids, place, *caches):
            x = self.tokens(ids) + self.positions(place)
            visible = (torch.arange(length, device=ids.device) <= place).view(1, 1, 1, length)
            made = []
            for at, block in enumerate(self.blocks):
                x, cache = block(x, caches[2 * at:2 * at + 2], place, visible)
                made += cache
            return (self.head(self.norm(x[:, -1])), *made)

    caches = [torch.randn(1, 12, length, 64) for _ in range(24)]
    return Decode(length), (torch.randint(0, 50257, (1, 1)), torch.tensor([length - 1]), *caches)


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(1 + 0.05 * torch.randn(width))

    def forward(self, x):
        f = x.float()
        return self.weight * (f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-5)).to(x.dtype)


def rotated(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin


class LlamaBlock(nn.Module):
    """Grouped queries (32 heads, 8 of keys), rotary positions, gated silu; sizes of Llama 3.2 1B."""

    def __init__(self, width, heads, kv_heads, inner):
        super().__init__()
        self.heads, self.kv_heads, part = heads, kv_heads, width // heads
        self.n1, self.n2 = RmsNorm(width), RmsNorm(width)
        self.q, self.k, self.v = nn.Linear(width, width, bias=False), nn.Linear(width, kv_heads * part, bias=False), nn.Linear(width, kv_heads * part, bias=False)
        self.out, self.gate, self.up, self.down = nn.Linear(width, width, bias=False), nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False), nn.Linear(inner, width, bias=False)

    def forward(self, x, cos, sin, cache=None, place=None, visible=None):
        y = self.n1(x)
        q, k, v = heads_of(self.q(y), self.heads), heads_of(self.k(y), self.kv_heads), heads_of(self.v(y), self.kv_heads)
        q, k = rotated(q, cos, sin), rotated(k, cos, sin)
        if cache is not None:
            k, v = cache[0].index_copy(2, place, k), cache[1].index_copy(2, place, v)
            cache = (k, v)
        group = self.heads // self.kv_heads
        wide = lambda t: t[:, :, None].expand(-1, -1, group, -1, -1).reshape(t.shape[0], self.heads, t.shape[2], t.shape[3])
        x = x + self.out(merged(F.scaled_dot_product_attention(q, wide(k), wide(v), attn_mask=visible, is_causal=cache is None)))
        y = self.n2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y)), cache


def rotary(places, size):
    """cos, sin [places, size] of positions, f32"""
    rates = 500000.0 ** (-torch.arange(0, size, 2, device=places.device, dtype=torch.float32) / size)
    angles = places.float()[:, None] * rates
    angles = torch.cat([angles, angles], -1)
    return angles.cos(), angles.sin()


class Llama(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.blocks = nn.ModuleList([LlamaBlock(2048, 32, 8, 8192) for _ in range(layers)])
        self.norm = RmsNorm(2048)


@model(("_s512", (512, 4)))
def llama_prefill(length, layers):
    """Four blocks of Llama 3.2 1B over embedded tokens."""
    class Prefill(Llama):
        def forward(self, x):
            cos, sin = (t.to(x.dtype) for t in rotary(torch.arange(length, device=x.device), 64))
            for block in self.blocks:
                x, _ = block(x, cos, sin)
            return self.norm(x)

    return Prefill(layers), (torch.randn(1, length, 2048),)


@model(("_c1024", (1024, 4)))
def llama_decode(length, layers):
    """Four blocks of Llama 3.2 1B, one token with caches."""
    class Decode(Llama):
        def forward(self, x, place, *caches):
            cos, sin = (t.to(x.dtype) for t in rotary(place, 64))
            visible = (torch.arange(length, device=x.device) <= place).view(1, 1, 1, length)
            made = []
            for at, block in enumerate(self.blocks):
                x, cache = block(x, cos, sin, caches[2 * at:2 * at + 2], place, visible)
                made += cache
            return (self.norm(x), *made)

    return Decode(layers), (torch.randn(1, 1, 2048), torch.tensor([length - 1]), *[torch.randn(1, 8, length, 64) for _ in range(2 * layers)])


@model(("_b1", (1,)))
def mixer_b16(batch):
    """MLP-Mixer B/16 at 224²."""
    class Block(nn.Module):
        def __init__(self, tokens, width):
            super().__init__()
            self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.t1, self.t2, self.c1, self.c2 = nn.Linear(tokens, 384), nn.Linear(384, tokens), nn.Linear(width, 3072), nn.Linear(3072, width)

        def forward(self, x):
            x = x + self.t2(F.gelu(self.t1(self.n1(x).transpose(1, 2)))).transpose(1, 2)
            return x + self.c2(F.gelu(self.c1(self.n2(x))))

    class Mixer(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch, self.blocks = nn.Conv2d(3, 768, 16, 16), nn.Sequential(*[Block(196, 768) for _ in range(12)])
            self.norm, self.head = nn.LayerNorm(768), nn.Linear(768, 1000)

        def forward(self, image):
            x = self.patch(image).flatten(2).transpose(1, 2)
            return self.head(self.norm(self.blocks(x)).mean(1))

    return Mixer(), (torch.randn(batch, 3, 224, 224),)


@model(("", (128, 512)))
def lstm(length, width):
    """An LSTM cell over 128 steps, batch 8, written out."""
    class Cell(nn.Module):
        def __init__(self):
            super().__init__()
            self.x, self.h = nn.Linear(width, 4 * width), nn.Linear(width, 4 * width)

        def forward(self, xs):
            h = c = torch.zeros(xs.shape[1], width, dtype=xs.dtype, device=xs.device)
            fed, made = self.x(xs), []
            for at in range(length):
                i, f, g, o = (fed[at] + self.h(h)).chunk(4, -1)
                c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
                h = torch.sigmoid(o) * torch.tanh(c)
                made.append(h)
            return torch.stack(made)

    return Cell(), (torch.randn(length, 8, width),)


def build(name, dtype=torch.float32):
    """-> (module in evaluation mode, inputs); the same on every machine with the same torch."""
    torch.manual_seed(sum(name.encode()))
    made, inputs = MODELS[name]()
    with torch.no_grad():
        for key, value in made.named_buffers():
            if key.endswith("running_var"):
                value.uniform_(0.8, 1.2)
            elif key.endswith("running_mean"):
                value.uniform_(-0.05, 0.05)
    cast = lambda t: t.to(dtype) if t.is_floating_point() else t
    return made.eval().to(dtype), tuple(cast(t) for t in inputs)


def weights_of(made):
    """{name: tensor} of all that is learnt; counters of training steps are left out"""
    named = {**dict(made.named_parameters()), **dict(made.named_buffers())}
    return {name: t.detach() for name, t in named.items() if t.is_floating_point()}


# Both fill `MODELS`.
import zoo_diffusion
import zoo_more
