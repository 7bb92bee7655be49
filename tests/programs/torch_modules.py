"""PyTorch modules: name -> function that returns (module, inputs). Weights and inputs come from a fixed seed."""

import math

import torch
from torch import nn
from torch.nn import functional as F

MODULES = {}


def module(build):
    def seeded():
        torch.manual_seed(sum(build.__name__.encode()))
        made, inputs = build()
        return made.eval(), inputs

    MODULES[build.__name__] = seeded
    return build


class Of(nn.Module):
    """A module of a function and the parts it uses."""

    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            setattr(self, name, nn.Parameter(part) if isinstance(part, torch.Tensor) else part)

    def forward(self, *inputs):
        return self.function(self, *inputs)


def sequence(*parts):
    return nn.Sequential(*parts)


r = torch.randn


@module
def linear_relu_softmax():
    return sequence(nn.Linear(13, 24), nn.ReLU(), nn.Linear(24, 5), nn.Softmax(-1)), (r(7, 13),)


@module
def deep_mlp_activations():
    acts = [nn.GELU(), nn.SiLU(), nn.Mish(), nn.ELU(), nn.SELU(), nn.Softplus(), nn.Hardswish(), nn.LeakyReLU(0.2), nn.Tanh(), nn.GELU("tanh")]
    return sequence(*[part for act in acts for part in (nn.Linear(12, 12), act)]), (r(5, 12),)


@module
def convolution_batch_norm_pool():
    return sequence(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 6, 3, stride=2)), (r(2, 3, 11, 13),)


@module
def residual_block():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.n = nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)

        def forward(self, x):
            return F.relu(x + self.n(self.b(F.relu(self.n(self.a(x))))))

    return Block(), (r(2, 8, 9, 9),)


@module
def depthwise_separable_hardswish():
    return sequence(nn.Conv2d(8, 8, 5, groups=8, padding=2, stride=2), nn.Hardswish(), nn.Conv2d(8, 12, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten()), (r(2, 8, 10, 10),)


@module
def squeeze_and_excite():
    return Of(lambda s, x: x * torch.sigmoid(s.b(F.relu(s.a(x.mean((2, 3))))))[:, :, None, None], a=nn.Linear(8, 3), b=nn.Linear(3, 8)), (r(2, 8, 6, 5),)


@module
def grouped_dilated_convolution():
    return nn.Conv2d(8, 12, 3, groups=4, dilation=2, padding=2), (r(1, 8, 9, 10),)


@module
def convolution_1d_glu():
    return sequence(nn.Conv1d(4, 12, 5, padding=2), nn.GLU(1), nn.Conv1d(6, 3, 3, stride=2)), (r(2, 4, 17),)


@module
def convolution_3d():
    return sequence(nn.Conv3d(2, 4, 3, padding=1), nn.ReLU(), nn.AvgPool3d(2)), (r(1, 2, 6, 6, 8),)


@module
def transposed_convolution():
    return nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1, output_padding=1), (r(1, 4, 5, 6),)


@module
def layer_norm_feed_forward():
    return sequence(nn.LayerNorm(16), nn.Linear(16, 40), nn.GELU(), nn.Linear(40, 16)), (r(2, 7, 16),)


@module
def group_norm_silu():
    return sequence(nn.GroupNorm(4, 16), nn.SiLU(), nn.Conv2d(16, 8, 1)), (r(2, 16, 5, 6),)


@module
def instance_norm():
    return nn.InstanceNorm2d(6, affine=True), (r(2, 6, 7, 5),)


@module
def rms_norm():
    return Of(lambda s, x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * s.w, w=r(16)), (r(3, 5, 16),)


@module
def attention_plain_softmax():
    def run(s, q, k, v):
        w = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]), -1)
        return w @ v

    return Of(run), (r(2, 4, 9, 8), r(2, 4, 9, 8), r(2, 4, 9, 8))


@module
def attention_scaled_dot_product():
    return Of(lambda s, q, k, v: F.scaled_dot_product_attention(q, k, v)), (r(2, 4, 9, 8), r(2, 4, 11, 8), r(2, 4, 11, 8))


@module
def attention_scaled_dot_product_causal():
    return Of(lambda s, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)), (r(2, 2, 9, 16), r(2, 2, 9, 16), r(2, 2, 9, 16))


@module
def attention_masked_projection():
    def run(s, x, mask):
        q, k, v = (t.view(2, 7, 4, 8).transpose(1, 2) for t in s.qkv(x).chunk(3, -1))
        w = (q @ k.transpose(-1, -2) / 8**0.5).masked_fill(~mask[:, None, None], float("-inf"))
        return s.o((w.softmax(-1) @ v).transpose(1, 2).reshape(2, 7, 32))

    return Of(run, qkv=nn.Linear(32, 96), o=nn.Linear(32, 32)), (r(2, 7, 32), torch.tensor([[True] * 7, [True] * 3 + [False] * 4]))


@module
def transformer_encoder_layer():
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.o, self.n1, self.n2 = nn.Linear(16, 48), nn.Linear(16, 16), nn.LayerNorm(16), nn.LayerNorm(16)
            self.up, self.down = nn.Linear(16, 32), nn.Linear(32, 16)

        def forward(self, x):
            q, k, v = (t.reshape(2, -1, 2, 8).permute(0, 2, 1, 3) for t in self.qkv(self.n1(x)).split(16, -1))
            x = x + self.o(F.scaled_dot_product_attention(q, k, v).permute(0, 2, 1, 3).reshape(x.shape))
            return x + self.down(F.gelu(self.up(self.n2(x))))

    return Layer(), (r(2, 6, 16),)


@module
def llama_layer_rotary_swiglu():
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.kv, self.o = nn.Linear(16, 32, bias=False), nn.Linear(16, 32, bias=False), nn.Linear(32, 16, bias=False)
            self.g, self.u, self.d = nn.Linear(16, 40, bias=False), nn.Linear(16, 40, bias=False), nn.Linear(40, 16, bias=False)
            angle = torch.arange(7)[:, None] * 10000 ** (-torch.arange(0, 8, 2) / 8)
            self.register_buffer("cos", torch.cat([angle.cos()] * 2, -1))
            self.register_buffer("sin", torch.cat([angle.sin()] * 2, -1))

        def rotate(self, x):
            a, b = x.chunk(2, -1)
            return x * self.cos + torch.cat([-b, a], -1) * self.sin

        def forward(self, x):
            q = self.rotate(self.q(x).view(2, 7, 4, 8).transpose(1, 2))
            k, v = self.kv(x).view(2, 7, 4, 8).transpose(1, 2).chunk(2, 1)
            k, v = self.rotate(k).repeat_interleave(2, 1), v.repeat_interleave(2, 1)
            s = (q @ k.transpose(-1, -2)) * 8**-0.5 + torch.full((7, 7), float("-inf")).triu(1)
            x = x + self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(2, 7, 32))
            return x + self.d(F.silu(self.g(x)) * self.u(x))

    return Layer(), (r(2, 7, 16),)


@module
def embedding_mean_classifier():
    return Of(lambda s, i: s.d(s.e(i).mean(1)), e=nn.Embedding(30, 8), d=nn.Linear(8, 4)), (torch.randint(0, 30, (5, 9)),)


@module
def bert_embeddings():
    def run(s, ids, types):
        return s.n(s.w(ids) + s.t(types) + s.p(torch.arange(8)))

    return Of(run, w=nn.Embedding(40, 12), t=nn.Embedding(2, 12), p=nn.Embedding(16, 12), n=nn.LayerNorm(12)), (torch.randint(0, 40, (2, 8)), torch.randint(0, 2, (2, 8)))


@module
def lstm_cell_unrolled():
    def run(s, x, h, c):
        for t in range(4):
            i, f, g, o = (s.i(x[t]) + s.h(h)).chunk(4, -1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return h, c

    return Of(run, i=nn.Linear(5, 32), h=nn.Linear(8, 32)), (r(4, 3, 5), r(3, 8), r(3, 8))


@module
def gru_cell_module():
    return nn.GRUCell(5, 8), (r(3, 5), r(3, 8))


@module
def lstm_module():
    return Of(lambda s, x: s.l(x)[0], l=nn.LSTM(5, 6, num_layers=2, batch_first=True)), (r(2, 4, 5),)


@module
def max_pool_padding_and_average():
    return Of(lambda s, x: (F.max_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 3, 2, 1), F.adaptive_avg_pool2d(x, (2, 4)))), (r(2, 3, 8, 8),)


@module
def upsample_repeat_and_bilinear():
    return Of(lambda s, x: (x.repeat_interleave(2, 2).repeat_interleave(2, 3), F.interpolate(x, size=(9, 7), mode="bilinear", align_corners=False))), (r(1, 3, 5, 4),)


@module
def pixel_shuffle():
    return sequence(nn.Conv2d(3, 12, 3, padding=1), nn.PixelShuffle(2)), (r(1, 3, 5, 6),)


@module
def pads_constant_reflect_replicate():
    return Of(lambda s, x: (F.pad(x, (1, 2, 0, 3), value=0.5), F.pad(x, (1, 2, 2, 1), mode="reflect"), F.pad(x, (2, 0, 1, 1), mode="replicate"))), (r(1, 2, 5, 6),)


@module
def log_softmax_nll():
    return Of(lambda s, x, y: F.nll_loss(F.log_softmax(x, -1), y)), (r(6, 5), torch.randint(0, 5, (6,)))


@module
def losses_regression():
    return Of(lambda s, x, y: (F.mse_loss(x, y), F.l1_loss(x, y), F.smooth_l1_loss(x, y), F.binary_cross_entropy_with_logits(x, torch.sigmoid(y)))), (r(5, 6), r(5, 6))


@module
def reductions_collection():
    return Of(lambda s, x: (x.sum(1), x.mean((0, 2)), x.amax(-1), x.amin(0), x.var(1), x.std(-1), x.norm(dim=1), torch.logsumexp(x, 2), x.prod(1))), (r(4, 5, 6),)


@module
def argmax_topk_sort():
    return Of(lambda s, x: (x.argmax(1), torch.topk(x, 3)[0], torch.topk(x, 3)[1], torch.sort(x, 1)[0], torch.argsort(x, 1, descending=True))), (r(6, 9),)


@module
def cumulative_sums():
    return Of(lambda s, x: (x.cumsum(1), x.cumsum(0).flip(0))), (r(5, 8),)


@module
def gather_scatter_index():
    def run(s, x, i):
        return x.gather(1, i), torch.zeros(4, 9).scatter(1, i, x[:, :3]), x.index_select(1, i[0]), torch.zeros(4, 9).scatter_add(1, i, x[:, :3])

    return Of(run), (r(4, 6), torch.stack([torch.randperm(6)[:3] for _ in range(4)]))


@module
def where_masked_fill_tril():
    return Of(lambda s, x: (torch.where(x > 0, x, -0.5 * x), x.masked_fill(x.abs() < 0.3, 0.0), x.tril(), x.triu(1), x.clamp(-0.5, 0.8))), (r(6, 6),)


@module
def slices_concatenate_stack():
    return Of(lambda s, x, y: (torch.cat([x[:, 1::2], y[:, -2:]], 1), torch.stack([x, y], 1), x.roll(2, 1), x.flip(1), x.repeat(2, 3))), (r(3, 8), r(3, 8))


@module
def einsum_products():
    return Of(lambda s, a, b: (torch.einsum("bij,bjk->bik", a, b), torch.einsum("bij,bkj->ik", a, a), torch.einsum("bij->bji", a), torch.bmm(a, b))), (r(3, 4, 5), r(3, 5, 6))


@module
def elementwise_functions():
    return Of(lambda s, x: (x.exp(), x.abs().log1p(), x.sin(), x.cos(), x.tan(), torch.atan(x), x.sigmoid(), x.erf(), x.abs().sqrt(), x.rsqrt().nan_to_num(), x.floor(), x.ceil(), x.round(), x.sign(), torch.expm1(x))), (r(5, 7).abs() + 0.1,)


@module
def comparisons_and_logic():
    return Of(lambda s, x, y: (x > y, x == y, (x > 0) & (y > 0), torch.logical_not(x > y), (x > 0).any(1), (y > -3).all(), torch.maximum(x, y), torch.minimum(x, y))), (r(5, 6), r(5, 6))


@module
def integer_arithmetic():
    # fmod, not %: torch-mlir's StableHLO of % takes the sign of the dividend, torch that of the divisor.
    return Of(lambda s, a, b: (a + b, a * b, a // b, torch.fmod(a, b), a & b, a | b, a ^ b, (a.float() / b).round())), (torch.randint(-40, 40, (6, 5)), torch.randint(1, 9, (6, 5)))


@module
def half_precision_linear():
    return nn.Linear(16, 8).to(torch.bfloat16), (r(5, 16).to(torch.bfloat16),)


@module
def double_precision_linear():
    return nn.Linear(9, 4).double(), (r(5, 9).double(),)


@module
def positional_encoding_sinusoid():
    def run(s, x):
        at = torch.arange(x.shape[1])[:, None]
        f = torch.exp(torch.arange(0, 8, 2) * (-math.log(10000.0) / 8))
        return x + torch.stack([torch.sin(at * f), torch.cos(at * f)], -1).reshape(1, x.shape[1], 8)

    return Of(run), (r(2, 6, 8),)


@module
def vision_transformer_small():
    class Vit(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch, self.cls, self.pos = nn.Conv2d(3, 16, 4, stride=4), nn.Parameter(r(1, 1, 16)), nn.Parameter(r(1, 10, 16))
            self.qkv, self.head, self.norm = nn.Linear(16, 48), nn.Linear(16, 5), nn.LayerNorm(16)

        def forward(self, x):
            t = self.patch(x).flatten(2).transpose(1, 2)
            t = torch.cat([self.cls.expand(x.shape[0], -1, -1), t], 1) + self.pos
            q, k, v = self.qkv(self.norm(t)).chunk(3, -1)
            t = t + torch.softmax(q @ k.transpose(1, 2) / 4, -1) @ v
            return self.head(t[:, 0])

    return Vit(), (r(2, 3, 12, 12),)


@module
def mobilenet_inverted_residual():
    return Of(lambda s, x: x + s.c(s.b(s.a(x))), a=sequence(nn.Conv2d(6, 18, 1), nn.BatchNorm2d(18), nn.ReLU6()), b=sequence(nn.Conv2d(18, 18, 3, padding=1, groups=18), nn.BatchNorm2d(18), nn.ReLU6()),
              c=sequence(nn.Conv2d(18, 6, 1), nn.BatchNorm2d(6))), (r(1, 6, 7, 7),)


@module
def unet_skip_concatenation():
    def run(s, x):
        a = F.relu(s.a(x))
        b = F.relu(s.b(F.max_pool2d(a, 2)))
        return s.c(torch.cat([a, b.repeat_interleave(2, 2).repeat_interleave(2, 3)], 1))

    return Of(run, a=nn.Conv2d(1, 4, 3, padding=1), b=nn.Conv2d(4, 8, 3, padding=1), c=nn.Conv2d(12, 1, 3, padding=1)), (r(1, 1, 8, 8),)


@module
def mixture_of_experts_dense():
    def run(s, x):
        g = torch.softmax(s.g(x), -1)
        return torch.einsum("te,teo->to", g, torch.stack([F.relu(a(x)) for a in s.e], 1))

    return Of(run, g=nn.Linear(8, 3), e=nn.ModuleList([nn.Linear(8, 6) for _ in range(3)])), (r(7, 8),)


@module
def wavenet_dilated_gated():
    class Wave(nn.Module):
        def __init__(self):
            super().__init__()
            self.f = nn.ModuleList([nn.Conv1d(4, 4, 2, dilation=d) for d in (1, 2, 4)])
            self.g = nn.ModuleList([nn.Conv1d(4, 4, 2, dilation=d) for d in (1, 2, 4)])

        def forward(self, x):
            for d, f, g in zip((1, 2, 4), self.f, self.g):
                p = F.pad(x, (d, 0))
                x = x + torch.tanh(f(p)) * torch.sigmoid(g(p))
            return x

    return Wave(), (r(2, 4, 15),)


@module
def graph_convolution_dense():
    def run(s, x, a):
        d = a.sum(1).rsqrt()
        return torch.relu(d[:, None] * a * d[None] @ s.l(x))

    a = (torch.rand(9, 9) > 0.6).float()
    return Of(run, l=nn.Linear(5, 6)), (r(9, 5), ((a + a.T + torch.eye(9)) > 0).float())


@module
def gradient_of_linear_by_hand():
    def run(s, x, y):
        z = s.l(x)
        d = 2 * (z - y) / z.numel()
        return d.T @ x, d.sum(0), d @ s.l.weight

    return Of(run, l=nn.Linear(6, 4)), (r(5, 6), r(5, 4))


@module
def detection_box_decode():
    def run(s, anchors, deltas):
        wh = anchors[:, 2:] - anchors[:, :2]
        c = anchors[:, :2] + wh / 2 + deltas[:, :2] * wh
        half = wh * torch.exp(deltas[:, 2:].clamp(max=4.0)) / 2
        return torch.cat([c - half, c + half], 1).clamp(0, 100)

    a = torch.rand(9, 2) * 50
    return Of(run), (torch.cat([a, a + 20], 1), r(9, 4) * 0.3)


@module
def pads_circular():
    return Of(lambda s, x: F.conv2d(F.pad(x, (1, 2, 0, 1), mode="circular"), s.w), w=r(4, 3, 2, 3)), (r(2, 3, 6, 7),)


@module
def masks_any_all():
    return Of(lambda s, x, m: (m.any(1), m.all(0), m ^ (x > 0), torch.where(m, x, 0.0).sum(1))), (r(4, 6), r(4, 6) > 0)


@module
def short_time_fourier():
    def run(s, x):
        z = torch.stft(x, 16, 4, window=s.w, return_complex=True)
        inside = torch.stft(x, 16, 4, window=s.w, center=False, return_complex=True)
        return torch.real(z), torch.imag(z), torch.view_as_real(inside).pow(2).sum(-1).sqrt()

    return Of(run, w=torch.hann_window(16)), (r(2, 64),)


@module
def determinants():
    return Of(lambda s, x: (torch.linalg.det(x), *torch.linalg.slogdet(x))), (r(2, 4, 4) + 3 * torch.eye(4),)


@module
def grid_sampling_affine():
    return Of(lambda s, x, t: F.grid_sample(x, F.affine_grid(t, (2, 3, 5, 6), align_corners=False), align_corners=False)), (r(2, 3, 6, 7), r(2, 2, 3) * 0.5)


@module
def gru_module_bidirectional():
    return Of(lambda s, x: s.l(x)[0], l=nn.GRU(5, 6, bidirectional=True, batch_first=True)), (r(2, 4, 5),)


@module
def multihead_attention_module():
    return Of(lambda s, x: s.l(x, x, x, need_weights=True), l=nn.MultiheadAttention(16, 4, batch_first=True)), (r(2, 5, 16),)


@module
def transformer_decoder_module():
    return Of(lambda s, x, m: s.l(x, m), l=nn.TransformerDecoderLayer(16, 2, 32, batch_first=True)), (r(2, 5, 16), r(2, 6, 16))


@module
def patches_folded():
    return Of(lambda s, x: F.fold(F.unfold(x, 3, padding=1, stride=2), (8, 9), 3, padding=1, stride=2)), (r(2, 3, 8, 9),)


@module
def linear_attention_feature_map():
    def run(s, q, k, v):
        q, k = F.elu(q) + 1, F.elu(k) + 1
        z = 1 / (torch.einsum("bhnd,bhd->bhn", q, k.sum(2)) + 1e-6)
        return torch.einsum("bhnd,bhde,bhn->bhne", q, torch.einsum("bhnd,bhne->bhde", k, v), z)

    return Of(run), (r(2, 2, 7, 4), r(2, 2, 7, 4), r(2, 2, 7, 4))


@module
def transposed_convolution_grouped():
    return nn.ConvTranspose2d(4, 6, 3, stride=2, groups=2, padding=1), (r(1, 4, 5, 6),)


@module
def bytes_quantised_by_hand():
    def run(s, a, b):
        exact = torch.matmul(a.float(), b.float())
        return exact.clamp(-128, 127).to(torch.int8), torch.fake_quantize_per_tensor_affine(exact, 0.5, 3, -128, 127)

    return Of(run), (torch.randint(-9, 9, (5, 6), dtype=torch.int8), torch.randint(-9, 9, (6, 4), dtype=torch.int8))
