"""Programs of PyTorch as StableHLO: operators against PyTorch's own results."""

import gc
import re

import pytest

import fornax

torch = pytest.importorskip("torch")
from fornax._aten import Unsupported, exported_text  # noqa: E402  PyTorch is wanted first

F = torch.nn.functional


def check(function, *arguments):
    class Program(torch.nn.Module):
        def forward(self, *given):
            return function(*given)

    wanted = function(*arguments)
    found = fornax.compile(Program(), *arguments, device="cpu")(*arguments)
    wanted, found = (part if isinstance(part, (tuple, list)) else (part,) for part in (wanted, found))
    assert len(wanted) == len(found)
    for one, due in zip(found, wanted):
        assert (one.dtype, one.shape) == (due.dtype, due.shape)
        near = dict(rtol=1e-4, atol=1e-5) if due.is_floating_point() or due.is_complex() else dict(rtol=0, atol=0)
        torch.testing.assert_close(one, due, equal_nan=True, **near)


def some(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


def below(limit, *shape):
    return torch.randint(0, limit, shape, generator=torch.Generator().manual_seed(limit))


NOT = float("nan")


def test_elements():
    def everything(a, b, i, j):
        rounded = [torch.div(a, b, rounding_mode=mode) for mode in ("floor", "trunc")]
        whole = [torch.div(i, j, rounding_mode=mode) for mode in ("floor", "trunc")]
        return (
            a + i, a - 2, 3 - a, a * b, i / j, torch.fmod(a, b), torch.remainder(a, b), i % j, torch.fmod(i, j), a**3,
            i**2, torch.atan2(a, b), a.clamp(-0.5, 0.5), a.sign(), a.round(), a.trunc(), torch.copysign(a, b), a > i,
            (a > 0) | (b > 0), torch.where(a > 0, a, 0.0), a.masked_fill(a > 0, -1), a.isnan(), a.isinf(), ~i, i << 2,
            i >> 1, a.bool(), a.to(torch.int32), i.to(torch.float16), *rounded, *whole,
        )

    a = torch.cat([some(18) * 3, torch.tensor([NOT, float("inf")])])
    b = torch.cat([some(19), torch.tensor([-0.0])])
    # Whole numbers from floats that are none are undefined.
    check(lambda a, b, i, j: everything(a, b, i, j)[:26], a, b, below(20, 20) - 10, below(5, 20) * 2 - 5)
    check(everything, some(20) * 3, some(20), below(20, 20) - 10, below(5, 20) * 2 - 5)


def test_indices_into_nothing():
    def everything(a, i):
        return a[i], a.index_select(0, i), a.index_put((i,), a[i] + 1), a.index_add(0, i, a[i]), a[:, [2, 0]]

    check(everything, some(0, 3), torch.zeros(0, dtype=torch.int64))
    check(lambda a, i: (a[:, i], a.gather(1, i.reshape(1, 0)), a.T[i]), some(2, 3), torch.zeros(0, dtype=torch.int64))


def test_strided_views():
    def views(a, b):
        strided = torch.as_strided
        return (
            strided(a, (3, 4), (4, 1)), strided(a, (5, 3), (2, 1), 1), strided(a * 2, (12,), (1,)),
            strided(b * 2, (2, 3, 2), (1, 2, 6)), strided(a, (), (), 5), strided(a, (2, 0), (1, 1)),
        )

    check(views, some(4, 3), some(3, 2, 2).permute(2, 0, 1))

    def changed(a, b, c):
        scatter = torch.as_strided_scatter
        return scatter(a, c, (2, 3), (4, 1), 1), scatter(b, c.T, (3, 2), (1, 4), 3), scatter(b, c[0, 0], (), (), 5)

    check(changed, some(4, 3), some(3, 2, 2).permute(2, 0, 1), some(2, 3))

    class Gaps(torch.nn.Module):
        def forward(self, a):
            return torch.as_strided(a[:, :2], (2, 2), (3, 1))

    # The package's own importer: torch-mlir, where it is installed, takes it after that.
    with pytest.raises(Unsupported, match="strided view"):
        exported_text(torch.export.export(Gaps(), (some(4, 3),), strict=False))


def test_unsigned_and_narrow_elements():
    bytes_ = torch.tensor([250, 3, 7], dtype=torch.uint8), torch.tensor([10, 200, 9], dtype=torch.uint8)
    check(lambda a, b: (a + b, a * b, -a, a >> 1, a // 3, a.float(), a > b), *bytes_)
    halves = some(40).half()
    found = fornax.compile(torch.nn.GELU(), halves, device="cpu")(halves)
    torch.testing.assert_close(found, F.gelu(halves), rtol=2e-3, atol=2e-3)


def test_reductions():
    check(
        lambda x: (
            x.sum(), x.mean((0, 2)), x.amax(1, keepdim=True), x.std(1), x.var((0, 1), correction=2), x.prod(-1),
            x.argmax(), x.argmin(1), *x.max(1), (x > 0).sum(2), (x > 0).any(1), torch.logsumexp(x, 1), x.cumsum(1),
            torch.linalg.vector_norm(x, 3, dim=1), *x.sort(1, descending=True), *x.topk(3), x[:, :0].sum(),
        ),
        some(3, 5, 7),
    )
    check(lambda x: (*x.sort(), *x.max(0), x.argmax()), torch.tensor([3.0, NOT, 1.0, -float("inf"), NOT]))


def test_windows_of_a_scalar_and_of_nothing():
    x = torch.tensor(0.7)
    check(lambda x, e: (x.unfold(0, 1, 1), x.unfold(0, 0, 2), e.unfold(1, 2, 1), e.unfold(1, 0, 1)), x, some(0, 3))
    gradients(lambda x: x.unfold(0, 1, 1).sin(), x)


def test_shapes():
    check(
        lambda x: (
            x.permute(2, 0, 1).reshape(7, -1), x[:, 1:-1:2, -3:], torch.cat([x, x[:, :2]], 1), *x.split(3, 1),
            x.flip(0, 2), x.roll((1, -2), (0, 2)), x.repeat(2, 1, 3), F.pad(x, (1, 2, -1, 1)), x.tril(-1),
            F.pad(x, (2, 1), mode="reflect"), F.pad(x, (2, 1), mode="replicate"), x.diagonal(-1, 0, 2),
            x.unfold(1, 3, 2), torch.stack([x, x], -1), x.expand(2, 3, 5, 7),
            torch.slice_scatter(x, x[:, :3], 1, 0, 5, 2),
        ),
        some(3, 5, 7),
    )


def test_indexing():
    x, i = some(3, 5, 7), below(5, 3, 2, 7)
    rows, columns = below(3, 4), below(7, 4, 1) - 7
    check(
        lambda x, i, r, c, s: (
            x.gather(1, i), x[r], x[r, :, c], x[:, r], x.index_select(2, r), x.scatter_add(1, i, s),
            x.scatter_reduce(1, i, s, "amax"), x.index_put((r,), s[:1, 0], accumulate=True),
            F.embedding(r, x[0]), F.one_hot(r, 5),
        ),
        x, i, rows, columns, some(3, 2, 7),
    )


def test_products():
    check(
        lambda a, b, c: (a @ b, torch.baddbmm(c, a, b, beta=0.5, alpha=2), F.linear(a, b[0].T, c[0]), a[0] @ b),
        some(2, 3, 4), some(2, 4, 5), some(3, 5),
    )
    x, w = some(2, 4, 9, 8), some(6, 2, 3, 3)
    check(
        lambda x, w, t: (
            F.conv2d(x, w, None, (2, 1), (1, 2), 1, 2), F.conv2d(x, w, None, 1, 2, 2, 2),
            F.conv_transpose2d(x, t, None, (2, 3), (0, 1), (1, 2), 2, (1, 1)),
        ),
        x, w, some(4, 3, 3, 2),
    )


@pytest.mark.parametrize("ceils", [False, True])
def test_windows(ceils):
    check(
        lambda x: (
            *F.max_pool2d(x, 3, 2, 1, ceil_mode=ceils, return_indices=True), F.avg_pool2d(x, 3, 2, 1, ceil_mode=ceils),
            F.avg_pool2d(x, (3, 2), 2, 1, ceil_mode=ceils, count_include_pad=False),
            F.adaptive_avg_pool2d(x, (3, 4)), F.interpolate(x, size=(7, 3)),
            F.interpolate(x, scale_factor=2, mode="bilinear"),
        ),
        some(2, 3, 8, 9),
    )


def test_norms_and_attention():
    q, k = some(2, 4, 6, 8), some(2, 2, 6, 8)
    check(
        lambda x, q, k: (
            x.softmax(1), x.log_softmax(0), F.layer_norm(x, (5, 7)), F.rms_norm(x, (7,)), F.group_norm(x, 5),
            F.batch_norm(x, x[0, :, 0], x[0, :, 0].abs()), F.scaled_dot_product_attention(q, q, q, is_causal=True),
            F.scaled_dot_product_attention(q, k, k, enable_gqa=True),
        ),
        some(3, 5, 7), q, k,
    )


def test_trees():
    class Program(torch.nn.Module):
        def forward(self, pair, *, scale, more=None):
            return {"sum": pair[0] + pair[1] * scale, "rest": [pair[1], None]}

    x, y = some(3), some(3)
    module = fornax.compile(Program(), (x, y), scale=2.0)
    found = module((x, y), scale=2.0)
    assert found["rest"][1] is None and torch.equal(found["rest"][0], y)
    torch.testing.assert_close(found["sum"], x + y * 2)


def test_what_is_refused():
    class Airy(torch.nn.Module):
        def forward(self, x):
            return torch.special.airy_ai(x)

    with pytest.raises(NotImplementedError, match=r"aten\.special_airy_ai\.default"):
        fornax.compile(Airy(), some(3))


def network():
    nn = torch.nn
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.GELU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, 1, 1, groups=2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5),
    )


def test_torch_compile():
    model, x = network().eval(), some(2, 3, 21, 20)
    compiled = torch.compile(model, backend=fornax.torch_backend)
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), model(x), rtol=1e-4, atol=1e-5)


def test_training():
    models = network(), network()
    steps = models[0], torch.compile(models[1], backend=fornax.torch_backend)
    losses = []
    for model, step in zip(models, steps):
        optimizer = torch.optim.SGD(model.parameters(), 0.05)
        for _ in range(3):
            optimizer.zero_grad()
            loss = step(some(4, 3, 21, 20)).square().mean()
            loss.backward()
            optimizer.step()
        losses.append(loss.detach())
    torch.testing.assert_close(*losses, rtol=1e-4, atol=1e-5)
    for one, other in zip(models[0].state_dict().values(), models[1].state_dict().values()):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(("causal", "heads"), [(False, 4), (True, 4), (True, 2)])
def test_gradients_of_attention(causal, heads):
    def function(q, k, v, mask):
        bias = None if causal else mask
        return F.scaled_dot_product_attention(q, k, v, bias, is_causal=causal, enable_gqa=heads < 4).sin().sum()

    found = []
    for step in (function, torch.compile(function, backend=fornax.torch_backend)):
        given = [some(2, count, 6, 8).requires_grad_() * factor for count, factor in ((4, 1), (heads, 2), (heads, 3))]
        for tensor in given:
            tensor.retain_grad()
        step(*given, some(6, 6)).backward()
        found.append([tensor.grad for tensor in given])
    for one, other in zip(*found):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_parts_are_left_to_pytorch(caplog):
    def function(x):
        return (torch.special.airy_ai(x * 2 + 1) * 3 + x.sum()).relu()

    x = some(3, 5)
    compiled = torch.compile(function, backend=fornax.torch_backend)
    torch.testing.assert_close(compiled(x), function(x), rtol=1e-4, atol=1e-5)
    assert "aten.special_airy_ai.default" in caplog.text


def test_sizes_of_run_time():
    def function(x):
        return x.softmax(-1) @ x.T

    compiled = torch.compile(function, backend=fornax.torch_backend, dynamic=True)
    for size in (3, 4, 7):
        torch.testing.assert_close(compiled(some(size, 6)), function(some(size, 6)), rtol=1e-4, atol=1e-5)


def test_modules_are_kept(tmp_path, monkeypatch):
    from fornax import _cache

    monkeypatch.setenv("FORNAX_MODULE_CACHE", str(tmp_path))
    text = b"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"
    first = _cache.compiled(text, ["--target=cpu:x86-64-v3"])
    kept = list(tmp_path.glob("*.fnx"))
    assert len(kept) == 1 and kept[0].read_bytes() == first
    kept[0].write_bytes(b"from the folder")
    assert _cache.compiled(text, ["--target=cpu:x86-64-v3"]) == b"from the folder"
    assert _cache.compiled(text, ["--target=cpu:x86-64-v4"]) != b"from the folder"
    monkeypatch.setenv("FORNAX_MODULE_CACHE_BYTES", "1")
    _cache.compiled(text, ["--target=cpu:x86-64-v2"])
    assert len(list(tmp_path.glob("*.fnx"))) == 1


def test_masked_updates():
    mask = torch.tensor([[True, False, True], [False, True, True]])
    check(lambda a, m, s: a.masked_scatter(m, s), some(2, 3), mask, some(9))
    check(lambda a, m, s: a.masked_scatter(m, s), some(4, 2, 3), mask, some(30))
    for accumulate in (False, True):
        put = lambda a, m, v: torch.index_put(a, (m,), v, accumulate=accumulate)  # noqa: E731
        check(put, some(2, 3), mask, some(4))
        check(put, some(2, 3), mask, some(1))
        check(put, some(2, 3, 5), mask, some(4, 5))
        check(put, some(2, 3, 5), mask, some(5))
        check(put, some(2, 5), mask[1, :2], some(1, 5))
    second = lambda a, m, v: torch.ops.aten.index_put(a, [None, m], v)  # noqa: E731
    check(second, some(5, 2, 3), mask, some(5, 4))
    check(second, some(5, 2, 3), mask, some(5, 1))


def test_distances():
    for p in (0.0, 1.0, 2.0, 3.5, float("inf")):
        check(lambda a, b: torch.ops.aten._cdist_forward(a, b, p, None), some(2, 3, 4), some(2, 5, 4))
        check(lambda a: F.pdist(a, p), some(5, 4))


def test_a_gather_without_elements():
    check(lambda a, i: torch.gather(a, 0, i), some(4), torch.zeros(2, 0, dtype=torch.int64))


def test_modules_go_with_their_graphs():
    from fornax import _dynamo

    function = torch.compile(lambda a: a * 3.25 + 1, backend=fornax.torch_backend)
    torch.testing.assert_close(function(some(7)), some(7) * 3.25 + 1)
    assert len(_dynamo._LOADED) >= 1
    del function
    torch._dynamo.reset()
    gc.collect()
    assert len(_dynamo._LOADED) == 0


def test_fourier_transforms():
    def transforms(x):
        fft = torch.fft
        return (
            fft.rfft(x), fft.rfft(x, dim=0, norm="ortho"), fft.rfft2(x, norm="forward"), torch.view_as_real(fft.fft(x)),
            fft.irfft(fft.rfft(x), n=5), fft.irfft2(fft.rfft2(x), s=(3, 6)), fft.ifft(fft.fft(x), norm="ortho").real,
            fft.irfft(fft.rfft(x), n=4), fft.fftn(x).imag,
        )

    check(transforms, some(3, 6))


def test_scatters_that_begin_with_nothing():
    index = torch.tensor([[0, 1, 1], [3, 0, 0]])
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        for own in (False, True):
            scatter = lambda a, i, s: torch.scatter_reduce(a, 1, i, s, reduce, include_self=own)  # noqa: E731
            check(scatter, some(2, 5), index, some(2, 3))
            check(scatter, below(9, 2, 5) - 4, index, below(9, 2, 3) - 6)


def test_places_of_16_bits():
    """Eager rounds them; what is compiled computes in 32 bits."""
    grid = torch.rand(1, 4, 5, 2, generator=torch.Generator().manual_seed(1)) * 2 - 1
    image, grid = some(1, 2, 6, 7).to(torch.bfloat16), grid.to(torch.bfloat16)
    sample = lambda a, b: F.grid_sample(a, b, align_corners=False)  # noqa: E731
    found = torch.compile(sample, backend=fornax.torch_backend)(image, grid)
    assert found.dtype is torch.bfloat16
    torch.testing.assert_close(found.float(), sample(image.float(), grid.float()), rtol=2**-8, atol=1e-4)


def of_gpu(function, *arguments):
    """The program that a GPU of NVIDIA would be given, on the processor."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    from fornax._aten import graph_text

    with FakeTensorMode():
        given = [torch.empty(one.shape, dtype=one.dtype, device="cuda") for one in arguments]
        graph = make_fx(function)(*given)
    return fornax.compile(graph_text(graph.graph, {}, graph), device="cpu", results="torch")(*arguments)


@pytest.mark.skipif(torch.version.cuda is None, reason="this PyTorch knows no GPU of NVIDIA")
@pytest.mark.parametrize("name, more", [("flash", ()), ("efficient", (None, True)), ("cudnn", (None, True))])
def test_attention_of_gpus(name, more):
    aten, (q, k, v) = torch.ops.aten, (some(2, 4, size, 8) for size in (5, 7, 7))
    forward = getattr(aten, f"_scaled_dot_product_{name}_attention").default
    backward = getattr(aten, f"_scaled_dot_product_{name}_attention_backward").default

    def both(q, k, v):
        made, sums, *state = forward(q, k, v, *more, 0.0, False)
        gradient = made.sin()
        seed, offset = state[-3:-1] if name != "efficient" else state
        if name == "flash":
            back = backward(gradient, q, k, v, made, sums, *state[:4], 0.0, False, seed, offset)
        elif name == "cudnn":
            back = backward(gradient, q, k, v, made, sums, seed, offset, None, *state[:4], 0.0, False)
        else:
            back = backward(gradient, q, k, v, None, made, sums, seed, offset, 0.0, [True, True, True, False])
        return made, sums.flatten()[:5], *back[:3]

    made, sums, *back = of_gpu(both, q, k, v)
    due, logarithms = aten._scaled_dot_product_flash_attention_for_cpu(q, k, v)
    q, k, v = (part.clone().requires_grad_() for part in (q, k, v))
    out = F.scaled_dot_product_attention(q, k, v)
    out.backward(out.detach().sin())
    for found, wanted in [(made, due), (sums, logarithms.flatten()[:5]), *zip(back, (q.grad, k.grad, v.grad))]:
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.skipif(torch.version.cuda is None, reason="this PyTorch knows no GPU of NVIDIA")
def test_statistics_of_gpus():
    """They are f32 where the result is bf16; a processor keeps them in bf16, or gives none."""
    def norms(x, w):
        layer = torch.ops.aten.native_layer_norm(x, [4], w, w, 1e-5)
        group = torch.ops.aten.native_group_norm(x, w, w, 2, 4, 4, 2, 1e-5)
        statistics = w.float(), w.float().abs() + 1
        batch = torch.ops.aten._native_batch_norm_legit_no_training(x, w, w, *statistics, 0.1, 1e-5)
        return *layer, *group, *batch

    x, w = some(2, 4, 4).bfloat16(), some(4).bfloat16()
    found = of_gpu(norms, x, w)
    assert [part.dtype for part in found[:3]] == [torch.bfloat16, torch.float32, torch.float32]
    wide = x.float()
    torch.testing.assert_close(found[1], wide.mean(-1, keepdim=True))
    torch.testing.assert_close(found[0].float(), F.layer_norm(wide, [4], w.float(), w.float()), rtol=2e-2, atol=2e-2)
    torch.testing.assert_close(found[3].float(), F.group_norm(wide, 2, w.float(), w.float()), rtol=2e-2, atol=2e-2)
    due = F.batch_norm(wide, w.float(), w.float().abs() + 1, w.float(), w.float())
    torch.testing.assert_close(found[6].float(), due, rtol=2e-2, atol=2e-2)
    if found[7].numel():
        torch.testing.assert_close(found[7], w.float())


def test_gradients_of_average_pools():
    back = torch.ops.aten.avg_pool2d_backward
    for window, stride, padding, ceil, counts, divisor in (
        ([2, 2], [2, 2], [0, 0], True, False, None), ([3, 2], [2, 1], [1, 0], False, True, None),
        ([3, 3], [2, 2], [1, 1], True, False, None), ([3, 3], [2, 2], [1, 1], True, True, None),
        ([2, 3], [], [0, 1], False, True, 5),
    ):
        x = some(2, 3, 7, 9)
        made = torch.ops.aten.avg_pool2d(x, window, stride, padding, ceil, counts, divisor)
        check(lambda g, x: back(g, x, window, stride, padding, ceil, counts, divisor), some(*made.shape), x)
    x, shape = some(2, 3, 4, 5, 6), (2, 3, 2, 2, 3)
    check(lambda g, x: torch.ops.aten.avg_pool3d_backward(g, x, [2] * 3, [2] * 3, [0] * 3, False, True, None),
          some(*shape), x)


@pytest.mark.parametrize("groups", [1, 2])
def test_gradients_of_transposed_convolutions(groups):
    back = torch.ops.aten.convolution_backward
    for stride, padding, dilation, extra in (
        ([1, 1], [0, 0], [1, 1], [0, 0]), ([2, 3], [0, 1], [1, 2], [1, 2]), ([3, 2], [2, 1], [2, 1], [2, 0]),
        ([1, 2], [1, 0], [3, 1], [2, 1]),
    ):
        x, w = some(2, 4, 5, 6), some(4, 6 // groups, 3, 2)
        made = F.conv_transpose2d(x, w, None, stride, padding, extra, groups, dilation)
        rest = stride, padding, dilation, True, extra, groups, [True] * 3
        check(lambda g, x, w: back(g, x, w, [6], *rest), some(*made.shape), x, w)
    x, w = some(3, 4, 7), some(4, 5, 4)
    made = F.conv_transpose1d(x, w, None, 2, 1)
    rest = [2], [1], [1], True, [0], 1, [True] * 3
    check(lambda g, x, w: back(g, x, w, [5], *rest), some(*made.shape), x, w)


def test_grouped_products():
    def grouped(a, b, ends):
        """What PyTorch computes, group by group, in 32 bits."""
        begins = [0, *ends.tolist()]
        parts = [slice(low, high) for low, high in zip(begins, begins[1:])]
        a, b = a.float(), b.float()
        if a.dim() == 2 and b.dim() == 2:
            return torch.stack([a[:, own] @ b[own] for own in parts])
        if a.dim() == 2:
            return torch.cat([a[own] @ b[at] for at, own in enumerate(parts)])
        return torch.cat([a[at] @ b[:, own] for at, own in enumerate(parts)], dim=1)

    class Program(torch.nn.Module):
        def forward(self, a, b, ends):
            return torch.ops.aten._grouped_mm(a, b, ends)

    ends = torch.tensor([8, 8, 24], dtype=torch.int32)
    for a, b in ((some(24, 16), some(3, 16, 8)), (some(16, 24), some(24, 8)), (some(3, 16, 8), some(8, 24))):
        a, b = a.bfloat16(), b.bfloat16()
        found = fornax.compile(Program(), a, b, ends, device="cpu")(a, b, ends)
        assert found.dtype == torch.bfloat16
        torch.testing.assert_close(found.float(), grouped(a, b, ends), rtol=2e-2, atol=2e-2)


def gradients(function, *arguments):
    """Checks the gradients of a function's arguments, as AOTAutograd hands them to the importer."""
    step = torch.compile(function, backend=fornax.torch_backend)
    found, wanted = [], []
    for call, out in ((function, wanted), (step, found)):
        given = [one.detach().clone().requires_grad_() for one in arguments]
        (call(*given) * 0.5).sin().sum().backward()
        out += [one.grad for one in given]
    for one, due in zip(found, wanted):
        torch.testing.assert_close(one, due, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode, rank", [("nearest", 1), ("nearest", 2), ("nearest", 3), ("nearest-exact", 2),
                                        ("linear", 1), ("bilinear", 2), ("bicubic", 2), ("trilinear", 3)])
def test_gradients_of_resizing(mode, rank, caplog):
    x = some(2, 3, *(5, 4, 3)[:rank])
    corners = [None] if "nearest" in mode else [False, True]
    for corner in corners:
        for size in ({"size": (8, 4, 7)[:rank]}, {"scale_factor": (1.7, 0.6, 2.0)[:rank]}):
            torch._dynamo.reset()
            gradients(lambda x: F.interpolate(x, mode=mode, align_corners=corner, **size), x)
    assert "PyTorch runs" not in caplog.text


def test_gradients_of_pools_and_edges(caplog):
    torch._dynamo.reset()
    gradients(lambda x: F.pad(x, (2, 1), mode="replicate"), some(2, 3, 5))
    gradients(lambda x: F.pad(x, (2, 1, 0, 3), mode="replicate"), some(2, 3, 5, 4))
    gradients(lambda x: F.adaptive_avg_pool2d(x, (3, 4)), some(2, 3, 7, 6))
    gradients(lambda x: F.adaptive_avg_pool3d(x, (2, 1, 3)), some(2, 4, 2, 3))
    gradients(lambda x: F.adaptive_avg_pool3d(x, (2, 3, 2)), some(2, 2, 5, 4, 3))
    gradients(lambda x: F.adaptive_max_pool2d(x, (3, 2)), some(2, 3, 7, 5))
    gradients(lambda x: F.max_pool3d(x, 2, 1, 1), some(2, 3, 4, 5, 3))
    gradients(lambda x: F.hardshrink(x, 0.4) + F.softshrink(x, 0.3), some(40))
    # Parts of adaptive pools that differ in size have no row.
    assert set(re.findall(r"PyTorch runs (\S+):", caplog.text)) <= {"aten.adaptive_max_pool2d.default"}


def test_places_of_nearest_elements():
    for size, factor in ((2, 2.2), (5, 2.5), (3, 1.34), (7, 0.6), (4, 2.0), (9, 0.33)):
        check(lambda x: (F.interpolate(x, scale_factor=factor), F.interpolate(x, size=11),
                         F.interpolate(x[..., None], scale_factor=(factor, 3.0))), some(2, 3, size))
    smooth = torch.ops.aten._upsample_bilinear2d_aa
    check(lambda x: (smooth(x, [3, 7], False), smooth(x, [5, 3], True)), some(2, 3, 7, 5))


def test_triangles():
    a = some(2, 4, 4)
    positive = a @ a.mT + torch.eye(4)
    solve = torch.linalg.solve_triangular
    lower, upper, b = positive.tril(), positive.triu(), some(3, 1, 4, 2)
    check(
        lambda l, u, b: (solve(l, b, upper=False), solve(u, b, upper=True), solve(u, b.mT, upper=True, left=False),
                         solve(l, b, upper=False, unitriangular=True)),
        lower, upper, b,
    )


@pytest.mark.parametrize("dim", [0, 2])
def test_gradients_of_weight_norms(dim):
    direction, sizes = some(4, 3, 5), [1, 1, 1]
    sizes[dim] = direction.shape[dim]
    norms = direction.norm(dim=[at for at in range(3) if at != dim], keepdim=True)
    back = torch.ops.aten._weight_norm_interface_backward
    check(lambda g, v, l, n: back(g, v, l, n, dim), some(4, 3, 5), direction, some(*sizes).abs() + 0.5, norms)
