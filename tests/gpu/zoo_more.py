"""Torch models beyond tests/gpu/zoo.py: windows that move, a detector, encoder with decoder, speech, recommendation, a state space, a whole
U-Net, a graph network. Sizes are those that the names are known for; written out where no package of the device machine has them.

Registered in `zoo.MODELS` by import; tests/gpu/zoo_export.py and tests/gpu/zoo_run.py take them with `--only`.
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

from zoo import heads_of, merged, model


@model(("_b1", (1,)))
def swin_t(batch):
    """Swin-T at 224², torchvision's: windows of 7², every second block moved by 3."""
    import torchvision
    return torchvision.models.swin_t(), (torch.randn(batch, 3, 224, 224),)


class Mix(nn.Module):
    """Attention of `heads` over other tokens (or its own), with biases or not."""

    def __init__(self, width, heads, part=None, bias=True, scale=None):
        super().__init__()
        inner = heads * (part or width // heads)
        self.heads, self.scale = heads, scale
        self.q, self.k, self.v = (nn.Linear(width, inner, bias=bias) for _ in range(3))
        self.out = nn.Linear(inner, width, bias=bias)

    def keys(self, k, v):
        return heads_of(self.k(k), self.heads), heads_of(self.v(v), self.heads)

    def forward(self, q, k, v, mask=None):
        """`k`, `v`: [b, heads, s, d]"""
        mixed = F.scaled_dot_product_attention(heads_of(self.q(q), self.heads), k, v, attn_mask=mask, scale=self.scale)
        return self.out(merged(mixed))


@model(("_b1", (1,)))
def detr_r50(batch):
    """DETR at 800²: ResNet50, 625 tokens, 6 layers each side of width 256, 100 queries, classes and boxes."""
    import torchvision

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.own, self.up, self.down = Mix(256, 8), nn.Linear(256, 2048), nn.Linear(2048, 256)
            self.n1, self.n2 = nn.LayerNorm(256), nn.LayerNorm(256)

        def forward(self, x, places):
            q = x + places
            x = self.n1(x + self.own(q, *self.own.keys(q, x)))
            return self.n2(x + self.down(F.relu(self.up(x))))

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.own, self.cross, self.up, self.down = Mix(256, 8), Mix(256, 8), nn.Linear(256, 2048), nn.Linear(2048, 256)
            self.n1, self.n2, self.n3 = nn.LayerNorm(256), nn.LayerNorm(256), nn.LayerNorm(256)

        def forward(self, x, queries, seen, places):
            q = x + queries
            x = self.n1(x + self.own(q, *self.own.keys(q, x)))
            x = self.n2(x + self.cross(x + queries, *self.cross.keys(seen + places, seen)))
            return self.n3(x + self.down(F.relu(self.up(x))))

    class Detr(nn.Module):
        def __init__(self):
            super().__init__()
            whole = torchvision.models.resnet50()
            self.backbone = nn.Sequential(*list(whole.children())[:-2])
            self.into = nn.Conv2d(2048, 256, 1)
            self.places, self.queries = nn.Parameter(torch.randn(625, 256)), nn.Parameter(torch.randn(100, 256))
            self.encoder, self.decoder = nn.ModuleList([Encoder() for _ in range(6)]), nn.ModuleList([Decoder() for _ in range(6)])
            self.norm, self.classes = nn.LayerNorm(256), nn.Linear(256, 92)
            self.box = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 4))

        def forward(self, image):
            x = self.into(self.backbone(image)).flatten(2).transpose(1, 2)
            for layer in self.encoder:
                x = layer(x, self.places)
            y = torch.zeros_like(self.queries).expand(x.shape[0], -1, -1)
            for layer in self.decoder:
                y = layer(y, self.queries, x, self.places)
            y = self.norm(y)
            return self.classes(y), self.box(y).sigmoid()

    return Detr(), (torch.randn(batch, 3, 800, 800),)


class RootNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(1 + 0.05 * torch.randn(width))

    def forward(self, x):
        f = x.float()
        return self.weight * (f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype)


def buckets(distance, both):
    """T5's 32 buckets of a distance key - query"""
    base, far = torch.zeros_like(distance), 32
    if both:
        far, base = 16, (distance > 0).long() * 16
        distance = distance.abs()
    else:
        distance = (-distance).clamp(min=0)
    near = far // 2
    large = near + (torch.log(distance.clamp(min=1).float() / near) / math.log(128 / near) * (far - near)).long()
    return base + torch.where(distance < near, distance, large.clamp(max=far - 1))


class T5Feed(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = RootNorm(512), nn.Linear(512, 2048, bias=False), nn.Linear(2048, 512, bias=False)

    def forward(self, x):
        return x + self.down(F.relu(self.up(self.norm(x))))


@model(("_s128", (128,)))
def t5_encoder(length):
    """T5-small's encoder, 6 layers of width 512, relative positions."""
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.own, self.feed = RootNorm(512), Mix(512, 8, bias=False, scale=1.0), T5Feed()

        def forward(self, x, bias):
            y = self.norm(x)
            return self.feed(x + self.own(y, *self.own.keys(y, y), bias))

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.relative = nn.Embedding(32128, 512), nn.Embedding(32, 8)
            self.layers, self.norm = nn.ModuleList([Layer() for _ in range(6)]), RootNorm(512)

        def forward(self, ids):
            at = torch.arange(length, device=ids.device)
            bias = self.relative(buckets(at[None, :] - at[:, None], True)).permute(2, 0, 1)[None]
            x = self.tokens(ids)
            for layer in self.layers:
                x = layer(x, bias)
            return self.norm(x)

    return Encoder(), (torch.randint(0, 32128, (1, length)),)


class CachedLayer(nn.Module):
    """A decoder's layer, one token: own cache written at `place`, cross keys and values given."""

    def __init__(self, width, heads, norm, feed, **how):
        super().__init__()
        self.n1, self.n2 = norm(width), norm(width)
        self.own, self.cross, self.feed = Mix(width, heads, **how), Mix(width, heads, **how), feed()

    def forward(self, x, caches, place, mask):
        y = self.n1(x)
        k, v = self.own.keys(y, y)
        k, v = caches[0].index_copy(2, place, k), caches[1].index_copy(2, place, v)
        x = x + self.own(y, k, v, mask)
        x = x + self.cross(self.n2(x), caches[2], caches[3])
        return self.feed(x), (k, v)


@model(("_c128", (128, 128)))
def t5_decode(length, source):
    """T5-small's decoder, one token; logits and the new caches."""
    class Decode(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.relative = nn.Embedding(32128, 512), nn.Embedding(32, 8)
            self.layers = nn.ModuleList([CachedLayer(512, 8, RootNorm, T5Feed, bias=False, scale=1.0) for _ in range(6)])
            self.norm = RootNorm(512)

        def forward(self, ids, place, *caches):
            at = torch.arange(length, device=ids.device)
            bias = self.relative(buckets(at[None, :] - place[:, None], False)).permute(2, 0, 1)[None]
            bias = bias.masked_fill(at > place, -1e9)
            x, made = self.tokens(ids), []
            for n, layer in enumerate(self.layers):
                x, cache = layer(x, caches[4 * n:4 * n + 4], place, bias)
                made += cache
            return (self.norm(x)[:, -1] * 512 ** -0.5 @ self.tokens.weight.T, *made)

    caches = [torch.randn(1, 8, n, 64) for _ in range(6) for n in (length, length, source, source)]
    return Decode(), (torch.randint(0, 32128, (1, 1)), torch.tensor([length - 1]), *caches)


class GeluFeed(nn.Module):
    def __init__(self, width=384):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


@model(("", ()))
def whisper_encoder():
    """Whisper-tiny's encoder: 3000 frames of 80 bands, 4 layers of width 384 over 1500 tokens."""
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.own, self.feed = nn.LayerNorm(384), Mix(384, 6), GeluFeed()

        def forward(self, x):
            y = self.norm(x)
            return self.feed(x + self.own(y, *self.own.keys(y, y)))

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.c1, self.c2 = nn.Conv1d(80, 384, 3, padding=1), nn.Conv1d(384, 384, 3, stride=2, padding=1)
            self.places = nn.Parameter(0.02 * torch.randn(1500, 384))
            self.layers, self.norm = nn.Sequential(*[Layer() for _ in range(4)]), nn.LayerNorm(384)

        def forward(self, bands):
            x = F.gelu(self.c2(F.gelu(self.c1(bands)))).transpose(1, 2) + self.places
            return self.norm(self.layers(x))

    return Encoder(), (torch.randn(1, 80, 3000),)


@model(("_c224", (224,)))
def whisper_decode(length):
    """Whisper-tiny's decoder, one token, 1500 places of sound; logits and the new caches."""
    class Decode(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(51865, 384), nn.Embedding(448, 384)
            self.layers = nn.ModuleList([CachedLayer(384, 6, nn.LayerNorm, GeluFeed) for _ in range(4)])
            self.norm = nn.LayerNorm(384)

        def forward(self, ids, place, *caches):
            mask = (torch.arange(length, device=ids.device) <= place).view(1, 1, 1, length)
            x, made = self.tokens(ids) + self.positions(place), []
            for n, layer in enumerate(self.layers):
                x, cache = layer(x, caches[4 * n:4 * n + 4], place, mask)
                made += cache
            return (self.norm(x)[:, -1] @ self.tokens.weight.T, *made)

    caches = [torch.randn(1, 6, n, 64) for _ in range(4) for n in (length, length, 1500, 1500)]
    return Decode(), (torch.randint(0, 51865, (1, 1)), torch.tensor([length - 1]), *caches)


@model(("_b256", (256,)))
def dlrm(batch):
    """DLRM: 13 numbers, 26 tables of 100,000 rows of 64, pairwise products, batch 256."""
    class Dlrm(nn.Module):
        def __init__(self):
            super().__init__()
            chain = lambda *sizes: nn.Sequential(*[part for a, b in zip(sizes, sizes[1:]) for part in (nn.Linear(a, b), nn.ReLU())])
            self.tables = nn.ModuleList([nn.Embedding(100000, 64) for _ in range(26)])
            self.below, self.above, self.last = chain(13, 512, 256, 64), chain(64 + 351, 512, 256), nn.Linear(256, 1)
            rows, columns = torch.tril_indices(27, 27, -1)
            self.register_buffer("rows", rows)
            self.register_buffer("columns", columns)

        def forward(self, numbers, ids):
            x = self.below(numbers)
            every = torch.stack([x] + [table(ids[:, at]) for at, table in enumerate(self.tables)], 1)
            pairs = torch.bmm(every, every.transpose(1, 2))[:, self.rows, self.columns]
            return torch.sigmoid(self.last(self.above(torch.cat([x, pairs], 1))))

    return Dlrm(), (torch.randn(batch, 13), torch.randint(0, 100000, (batch, 26)))


@model(("_s64", (64,)))
def mamba(length):
    """A Mamba block of width 768 (inner 1536, state 16), the recurrence written out as transformers does without kernels of its own."""
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.into, self.outof = RootNorm(768), nn.Linear(768, 3072, bias=False), nn.Linear(1536, 768, bias=False)
            self.conv = nn.Conv1d(1536, 1536, 4, groups=1536, padding=3)
            self.parts, self.step = nn.Linear(1536, 48 + 32, bias=False), nn.Linear(48, 1536)
            self.rate = nn.Parameter(torch.log(torch.arange(1, 17).float()).repeat(1536, 1))
            self.skip = nn.Parameter(torch.ones(1536))

        def forward(self, x):
            hidden, gate = self.into(self.norm(x)).transpose(1, 2).chunk(2, 1)
            hidden = F.silu(self.conv(hidden)[..., :length])
            step, b, c = self.parts(hidden.transpose(1, 2)).split([48, 16, 16], -1)
            step = F.softplus(self.step(step)).transpose(1, 2)
            kept = torch.exp(-torch.exp(self.rate.float())[None, :, None, :] * step[..., None].float())
            added = step[..., None].float() * b[:, None].float() * hidden[..., None].float()
            state, made = torch.zeros(x.shape[0], 1536, 16, device=x.device), []
            for at in range(length):
                state = kept[:, :, at] * state + added[:, :, at]
                made.append((state.to(x.dtype) @ c[:, at, :, None])[..., 0])
            y = torch.stack(made, -1) + hidden * self.skip[None, :, None]
            return x + self.outof((y * F.silu(gate)).transpose(1, 2))

    return Block(), (torch.randn(1, length, 768),)


@model(("_n10000", (10000, 100000)))
def graph_sage(nodes, edges):
    """A GraphSAGE layer: means over neighbours by edges (scatter), 256 features."""
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.own, self.near = nn.Linear(256, 256), nn.Linear(256, 256, bias=False)

        def forward(self, x, source, target):
            total = torch.zeros_like(x).index_add(0, target, x[source])
            count = torch.zeros(nodes, device=x.device, dtype=x.dtype).index_add(0, target, torch.ones_like(source, dtype=x.dtype))
            return F.relu(self.own(x) + self.near(total / count.clamp(min=1)[:, None]))

    return Layer(), (torch.randn(nodes, 256), torch.randint(0, nodes, (edges,)), torch.randint(0, nodes, (edges,)))
