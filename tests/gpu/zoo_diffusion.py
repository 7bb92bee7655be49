"""The U-Net of Stable Diffusion 1.5, batch 2 (with and without a text of 77 tokens): a level of it, and a whole step from 64² latents of 4
channels, 860 million weights.

Registered in `zoo.MODELS` by import.
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

from zoo import heads_of, merged, model


class Residual(nn.Module):
    def __init__(self, width_in, width):
        super().__init__()
        self.n1, self.n2 = nn.GroupNorm(32, width_in), nn.GroupNorm(32, width)
        self.c1, self.c2 = nn.Conv2d(width_in, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.time = nn.Linear(1280, width)
        self.short = nn.Conv2d(width_in, width, 1) if width_in != width else nn.Identity()

    def forward(self, x, t):
        y = self.c1(F.silu(self.n1(x))) + self.time(F.silu(t))[:, :, None, None]
        return self.short(x) + self.c2(F.silu(self.n2(y)))


class Attend(nn.Module):
    def __init__(self, width, context):
        super().__init__()
        self.q, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, width)
        self.k, self.v = nn.Linear(context, width, bias=False), nn.Linear(context, width, bias=False)

    def forward(self, x, context):
        q, k, v = (heads_of(t, 8) for t in (self.q(x), self.k(context), self.v(context)))
        return self.out(merged(F.scaled_dot_product_attention(q, k, v)))


class Transformer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.GroupNorm(32, width, eps=1e-6)
        self.into, self.outof = nn.Conv2d(width, width, 1), nn.Conv2d(width, width, 1)
        self.n1, self.n2, self.n3 = nn.LayerNorm(width), nn.LayerNorm(width), nn.LayerNorm(width)
        self.own, self.cross = Attend(width, width), Attend(width, 768)
        self.up, self.down = nn.Linear(width, 8 * width), nn.Linear(4 * width, width)

    def forward(self, image, text):
        b, c, h, w = image.shape
        x = self.into(self.norm(image)).flatten(2).transpose(1, 2)
        y = self.n1(x)
        x = x + self.own(y, y)
        x = x + self.cross(self.n2(x), text)
        value, gate = self.up(self.n3(x)).chunk(2, -1)
        x = x + self.down(value * F.gelu(gate))
        return image + self.outof(x.transpose(1, 2).reshape(b, c, h, w))


@model(("", ()))
def unet_block():
    """A level at 32²: two residual blocks with time embedding, each before a transformer block that also attends to a text."""
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.r1, self.t1, self.r2, self.t2 = Residual(320, 640), Transformer(640), Residual(640, 640), Transformer(640)

        def forward(self, x, time, text):
            x = self.t1(self.r1(x, time), text)
            return self.t2(self.r2(x, time), text)

    return Block(), (torch.randn(2, 320, 32, 32), torch.randn(2, 1280), torch.randn(2, 77, 768))


class Level(nn.Module):
    """Residual blocks, each with a transformer where the level has them; then down, up or neither."""

    def __init__(self, widths_in, width, mixes, move):
        super().__init__()
        self.blocks = nn.ModuleList([Residual(n, width) for n in widths_in])
        self.mixes = nn.ModuleList([Transformer(width) for _ in widths_in]) if mixes else None
        self.move = move
        self.conv = nn.Conv2d(width, width, 3, stride=2 if move == "down" else 1, padding=1) if move else None

    def block(self, at, x, t, text):
        x = self.blocks[at](x, t)
        return self.mixes[at](x, text) if self.mixes else x

    def moved(self, x):
        if self.move == "up":
            x = F.interpolate(x, scale_factor=2.0, mode="nearest")
        return self.conv(x) if self.move else x


@model(("_step", ()))
def diffusion():
    widths = (320, 640, 1280, 1280)

    class Unet(nn.Module):
        def __init__(self):
            super().__init__()
            self.t1, self.t2, self.into = nn.Linear(320, 1280), nn.Linear(1280, 1280), nn.Conv2d(4, 320, 3, padding=1)
            before = (320,) + widths
            self.down = nn.ModuleList([Level((before[i], widths[i]), widths[i], i < 3, "down" if i < 3 else None) for i in range(4)])
            self.m1, self.mix, self.m2 = Residual(1280, 1280), Transformer(1280), Residual(1280, 1280)
            self.up = nn.ModuleList()
            skips = [320, 320, 320, 320, 640, 640, 640, 1280, 1280, 1280, 1280, 1280]
            width = 1280
            for i in (3, 2, 1, 0):
                ins = []
                for _ in range(3):
                    ins.append(width + skips.pop())
                    width = widths[i]
                self.up.append(Level(ins, width, i < 3, "up" if i > 0 else None))
            self.norm, self.outof = nn.GroupNorm(32, 320), nn.Conv2d(320, 4, 3, padding=1)

        def forward(self, x, time, text):
            rates = torch.exp(-math.log(10000) * torch.arange(160, device=x.device) / 160)
            angles = time.float()[:, None] * rates[None]
            t = self.t2(F.silu(self.t1(torch.cat([angles.cos(), angles.sin()], -1).to(x.dtype))))
            x = self.into(x)
            skips = [x]
            for level in self.down:
                for at in range(2):
                    x = level.block(at, x, t, text)
                    skips.append(x)
                if level.move:
                    x = level.moved(x)
                    skips.append(x)
            x = self.m2(self.mix(self.m1(x, t), text), t)
            for level in self.up:
                for at in range(3):
                    x = level.block(at, torch.cat([x, skips.pop()], 1), t, text)
                x = level.moved(x)
            return self.outof(F.silu(self.norm(x)))

    return Unet(), (torch.randn(2, 4, 64, 64), torch.tensor([500, 500]), torch.randn(2, 77, 768))
