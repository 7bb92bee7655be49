"""Memory-bound workloads: loops, rows, columns, transposes, gathers, sorting. `work` is the bytes that must be moved."""
from workloads import WORKLOADS, SIZE, Workload, function, tensor

ROWS, COLUMNS = 65536, 1024


def reduce(name, value, op, shape, dims, init):
    kept = [n for i, n in enumerate(shape) if i not in dims]
    ty = tensor(shape, "f32")
    return ["%%%s_i = stablehlo.constant dense<%s> : tensor<f32>" % (name, init),
            "%%%s = stablehlo.reduce(%s init: %%%s_i) applies stablehlo.%s across dimensions = %s : (%s, tensor<f32>) -> %s" % (
                name, value, name, op, list(dims), ty, tensor(kept, "f32"))], tensor(kept, "f32")


def spread(name, value, kept, dims, shape):
    return "%%%s = stablehlo.broadcast_in_dim %s, dims = %s : (%s) -> %s" % (name, value, list(dims), kept, tensor(shape, "f32"))


def scaled(name, value, factor, ty):
    return ["%%%s_c = stablehlo.constant dense<%.9e> : %s" % (name, factor, ty),
            "%%%s = stablehlo.multiply %s, %%%s_c : %s" % (name, value, name, ty)]


def binary(name, op, a, b, ty):
    return "%%%s = stablehlo.%s %s, %s : %s" % (name, op, a, b, ty)


def unary(name, op, a, ty):
    return "%%%s = stablehlo.%s %s : %s" % (name, op, a, ty)


def shifted(name, value, by, ty):
    return ["%%%s_c = stablehlo.constant dense<%.9e> : %s" % (name, by, ty),
            "%%%s = stablehlo.add %s, %%%s_c : %s" % (name, value, name, ty)]


def add(name, text, inputs, peer, work, exact=None, tolerance=1e-5, group="memory"):
    WORKLOADS[name] = Workload(group, text, inputs, peer, work, kind="byte", exact=exact, tolerance=tolerance)


def rows(n, d):
    shape, ty = (n, d), tensor((n, d), "f32")
    both = 2 * 4 * n * d
    name = "%dx%d" % shape
    high, kept = reduce("m", "%a0", "maximum", shape, [1], "0xFF800000")
    total, _ = reduce("t", "%e", "add", shape, [1], "0.0")
    lines = high + [spread("mb", "%m", kept, [0], shape), binary("x", "subtract", "%a0", "%mb", ty), unary("e", "exponential", "%x", ty)]
    lines += total + [spread("tb", "%t", kept, [0], shape), binary("r", "divide", "%e", "%tb", ty)]
    add("softmax_" + name, function([(shape, "f32")], ty, lines), [(shape, "f32")],
        lambda torch, x: lambda: torch.softmax(x[0], 1), both, exact=lambda torch, x: torch.softmax(x[0].double(), 1))
    total, kept = reduce("s", "%a0", "add", shape, [1], "0.0")
    squares, _ = reduce("q", "%dd", "add", shape, [1], "0.0")
    lines = total + scaled("mean", "%s", 1.0 / d, kept) + [spread("mb", "%mean", kept, [0], shape), binary("dv", "subtract", "%a0", "%mb", ty)]
    lines += [binary("dd", "multiply", "%dv", "%dv", ty)] + squares + scaled("var", "%q", 1.0 / d, kept) + shifted("ve", "%var", 1e-5, kept)
    lines += [unary("rs", "rsqrt", "%ve", kept), spread("rb", "%rs", kept, [0], shape), binary("r", "multiply", "%dv", "%rb", ty)]
    add("layernorm_" + name, function([(shape, "f32")], ty, lines), [(shape, "f32")],
        lambda torch, x: lambda: torch.nn.functional.layer_norm(x[0], (d,)), both,
        exact=lambda torch, x: torch.nn.functional.layer_norm(x[0].double(), (d,)))
    lines = [binary("dd", "multiply", "%a0", "%a0", ty)] + squares + scaled("var", "%q", 1.0 / d, kept) + shifted("ve", "%var", 1e-6, kept)
    lines += [unary("rs", "rsqrt", "%ve", kept), spread("rb", "%rs", kept, [0], shape), binary("r", "multiply", "%a0", "%rb", ty)]
    add("rmsnorm_" + name, function([(shape, "f32")], ty, lines), [(shape, "f32")],
        lambda torch, x: lambda: torch.nn.functional.rms_norm(x[0], (d,), eps=1e-6), both,
        exact=lambda torch, x: torch.nn.functional.rms_norm(x[0].double(), (d,), eps=1e-6))
    for label, dim, other in (("rowsum", 1, n), ("colsum", 0, d)):
        lines, kept = reduce("r", "%a0", "add", shape, [dim], "0.0")
        add("%s_%s" % (label, name), function([(shape, "f32")], kept, lines), [(shape, "f32")],
            lambda torch, x, dim=dim: lambda: torch.sum(x[0], dim), both // 2 + 4 * other,
            exact=lambda torch, x, dim=dim: torch.sum(x[0].double(), dim), tolerance=1e-4)


def others():
    n = 1 << 26
    ty = tensor((n,), "f32")
    lines = ["%two = stablehlo.constant dense<2.0> : " + ty, "%one = stablehlo.constant dense<1.0> : " + ty,
             binary("x", "multiply", "%a0", "%two", ty), binary("y", "add", "%x", "%one", ty), unary("r", "sine", "%y", ty)]
    add("sin_64m", function([((n,), "f32")], ty, lines), [((n,), "f32")],
        lambda torch, x: lambda: torch.sin(x[0]), 8 * n, exact=lambda torch, x: torch.sin(2 * x[0].double() + 1))
    for dtype, side in (("f32", 8192), ("bf16", 16384), ("f32", 8191)):
        shape, out = (side, side), tensor((side, side), dtype)
        line = "%%r = stablehlo.transpose %%a0, dims = [1, 0] : (%s) -> %s" % (out, out)
        add("transpose_%s_%d" % (dtype, side), function([(shape, dtype)], out, [line]), [(shape, dtype)],
            lambda torch, x: lambda: x[0].T.contiguous(), 2 * SIZE[dtype] * side * side)
    n = 1 << 24
    ty = tensor((n,), "f32")
    sort = ['%%r = "stablehlo.sort"(%%a0) ({' % (), '^bb0(%p: tensor<f32>, %q: tensor<f32>):',
            '  %c = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>', '  stablehlo.return %c : tensor<i1>',
            '}) {dimension = 0 : i64, is_stable = true} : (%s) -> %s' % (ty, ty)]
    sort[0] = '%r = "stablehlo.sort"(%a0) ({'
    add("sort_16m", function([((n,), "f32")], ty, sort), [((n,), "f32")],
        lambda torch, x: lambda: torch.sort(x[0], stable=True)[0], 8 * n, group="sort")
    top = ["%v, %at = chlo.top_k(%a0, k = 64) : " + "%s -> (tensor<64xf32>, tensor<64xi32>)" % ty,
           "%r = stablehlo.add %v, %v : tensor<64xf32>"]
    add("topk_16m", function([((n,), "f32")], "tensor<64xf32>", top), [((n,), "f32")],
        lambda torch, x: lambda: torch.topk(x[0], 64)[0] * 2, 4 * n, group="sort")
    shape = (4096, 4096)
    ty = tensor(shape, "f32")
    cumulative = ['%r = "stablehlo.reduce_window"(%a0, %z) ({', '^bb0(%p: tensor<f32>, %q: tensor<f32>):',
                  '  %c = stablehlo.add %p, %q : tensor<f32>', '  stablehlo.return %c : tensor<f32>',
                  '}) {window_dimensions = array<i64: 1, 4096>, padding = dense<[[0, 0], [4095, 0]]> : tensor<2x2xi64>} : (%s, tensor<f32>) -> %s' % (ty, ty)]
    add("cumsum_4096", function([(shape, "f32")], ty, ["%z = stablehlo.constant dense<0.0> : tensor<f32>"] + cumulative), [(shape, "f32")],
        lambda torch, x: lambda: torch.cumsum(x[0], 1), 8 * 4096 * 4096, exact=lambda torch, x: torch.cumsum(x[0].double(), 1), group="sort", tolerance=1e-4)


def narrow_rows(n, d, dtype):
    """softmax, layernorm and rmsnorm of f16 and bf16, computed in f32 as JAX and torch do."""
    shape, ty, wide = (n, d), tensor((n, d), dtype), tensor((n, d), "f32")
    name, both = "%s_%dx%d" % (dtype, n, d), 2 * SIZE[dtype] * n * d
    first, last = "%%x0 = stablehlo.convert %%a0 : (%s) -> %s" % (ty, wide), "%%r = stablehlo.convert %%y : (%s) -> %s" % (wide, ty)
    high, kept = reduce("m", "%x0", "maximum", shape, [1], "0xFF800000")
    total, _ = reduce("t", "%e", "add", shape, [1], "0.0")
    lines = [first] + high + [spread("mb", "%m", kept, [0], shape), binary("x", "subtract", "%x0", "%mb", wide), unary("e", "exponential", "%x", wide)]
    lines += total + [spread("tb", "%t", kept, [0], shape), binary("y", "divide", "%e", "%tb", wide), last]
    add("softmax_" + name, function([(shape, dtype)], ty, lines), [(shape, dtype)], lambda torch, x: lambda: torch.softmax(x[0], 1), both,
        exact=lambda torch, x: torch.softmax(x[0].float(), 1), group="narrow_rows", tolerance=4e-3)
    total, kept = reduce("s", "%x0", "add", shape, [1], "0.0")
    squares, _ = reduce("q", "%dd", "add", shape, [1], "0.0")
    lines = [first] + total + scaled("mean", "%s", 1.0 / d, kept) + [spread("mb", "%mean", kept, [0], shape), binary("dv", "subtract", "%x0", "%mb", wide)]
    lines += [binary("dd", "multiply", "%dv", "%dv", wide)] + squares + scaled("var", "%q", 1.0 / d, kept) + shifted("ve", "%var", 1e-5, kept)
    lines += [unary("rs", "rsqrt", "%ve", kept), spread("rb", "%rs", kept, [0], shape), binary("y", "multiply", "%dv", "%rb", wide), last]
    add("layernorm_" + name, function([(shape, dtype)], ty, lines), [(shape, dtype)], lambda torch, x: lambda: torch.nn.functional.layer_norm(x[0], (d,)), both,
        exact=lambda torch, x: torch.nn.functional.layer_norm(x[0].float(), (d,)), group="narrow_rows", tolerance=4e-3)
    lines = [first, binary("dd", "multiply", "%x0", "%x0", wide)] + squares + scaled("var", "%q", 1.0 / d, kept) + shifted("ve", "%var", 1e-6, kept)
    lines += [unary("rs", "rsqrt", "%ve", kept), spread("rb", "%rs", kept, [0], shape), binary("y", "multiply", "%x0", "%rb", wide), last]
    add("rmsnorm_" + name, function([(shape, dtype)], ty, lines), [(shape, dtype)], lambda torch, x: lambda: torch.nn.functional.rms_norm(x[0], (d,), eps=1e-6),
        both, exact=lambda torch, x: torch.nn.functional.rms_norm(x[0].float(), (d,), eps=1e-6), group="narrow_rows", tolerance=4e-3)


def transposed(shape, order, dtype):
    result = tuple(shape[d] for d in order)
    line = "%%r = stablehlo.transpose %%a0, dims = %s : (%s) -> %s" % (list(order), tensor(shape, dtype), tensor(result, dtype))
    elements = 1
    for n in shape:
        elements *= n
    add("transpose_%s_%s_%s" % (dtype, "x".join(map(str, shape)), "".join(map(str, order))), function([(shape, dtype)], tensor(result, dtype), [line]),
        [(shape, dtype)], lambda torch, x: lambda: x[0].permute(order).contiguous(), 2 * SIZE[dtype] * elements, group="transposes")


def gather(name, table, picked, width, dtype):
    """Bytes as they are moved: every picked row read and written, and its index; a table that is much larger than the caches."""
    t, i, r = tensor((table, width), dtype), tensor((picked, 1), "i32"), tensor((picked, width), dtype)
    line = ('%%r = "stablehlo.gather"(%%a0, %%a1) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], '
            'start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, %d>, indices_are_sorted = false} : (%s, %s) -> %s' % (width, t, i, r))
    add(name, function([((table, width), dtype), ((picked, 1), "i32")], r, [line]), [((table, width), dtype), ((picked, 1), "i32", table)],
        lambda torch, x: lambda: torch.nn.functional.embedding(x[1][:, 0], x[0]), 2 * SIZE[dtype] * width * picked + 4 * picked, group="gather")


def scatter(name, dtype, op, rows, count, unique=False):
    t, i, u = tensor((rows,), dtype), tensor((count, 1), "i32"), tensor((count,), dtype)
    body = ["  %%c = stablehlo.%s %%p, %%q : tensor<%s>" % (op, dtype), "  stablehlo.return %%c : tensor<%s>" % dtype]
    lines = ['%%r = "stablehlo.scatter"(%%a0, %%a1, %%a2) <{indices_are_sorted = false, unique_indices = %s, scatter_dimension_numbers = #stablehlo.scatter<'
             'inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({' % str(unique).lower(),
             "^bb0(%%p: tensor<%s>, %%q: tensor<%s>):" % (dtype, dtype)] + body + ["}) : (%s, %s, %s) -> %s" % (t, i, u, t)]
    spec = [((rows,), dtype) + ((1 << 16,) if dtype == "i32" else ()), ((count, 1), "i32", rows), ((count,), dtype) + ((1 << 16,) if dtype == "i32" else ())]
    kinds = {"add": lambda torch, x: lambda: x[0].index_add(0, x[1][:, 0], x[2]),
             "maximum": lambda torch, x: lambda: x[0].scatter_reduce(0, x[1][:, 0].long(), x[2], "amax")}
    add(name, function([given[:2] for given in spec], t, lines), spec, kinds[op], SIZE[dtype] * (2 * rows + count) + 4 * count, group="scatter", tolerance=1e-6)


def pooling(name, op, dtype, batch, side, channels, kernel, stride):
    pad, out = kernel // 2, side // stride
    high = (out - 1) * stride + kernel - side - pad
    x, r = ((batch, side, side, channels), dtype), tensor((batch, out, out, channels), dtype)
    init = {"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[dtype] if op == "maximum" else "0.0"
    lines = ["%%z = stablehlo.constant dense<%s> : tensor<%s>" % (init, dtype), '%%r = "stablehlo.reduce_window"(%%a0, %%z) <{window_dimensions = array<i64: 1, '
             '%d, %d, 1>, window_strides = array<i64: 1, %d, %d, 1>, padding = dense<[[0, 0], [%d, %d], [%d, %d], [0, 0]]> : tensor<4x2xi64>}> ({' % (
                 kernel, kernel, stride, stride, pad, high, pad, high), "^bb0(%%p: tensor<%s>, %%q: tensor<%s>):" % (dtype, dtype),
             "  %%c = stablehlo.%s %%p, %%q : tensor<%s>" % (op, dtype), "  stablehlo.return %%c : tensor<%s>" % dtype,
             "}) : (%s, tensor<%s>) -> %s" % (tensor(*x), dtype, r)]

    def peer(torch, t):
        image = t[0].permute(0, 3, 1, 2)
        if high != pad:
            image = torch.nn.functional.pad(image, (pad, high, pad, high), value=float("-inf") if op == "maximum" else 0.0)
        given = 0 if high != pad else pad
        if op == "maximum":
            return lambda: torch.nn.functional.max_pool2d(image, kernel, stride, given)
        return lambda: torch.nn.functional.avg_pool2d(image, kernel, stride, given, divisor_override=1)

    def exact(torch, t):
        return peer(torch, [t[0].float()])().permute(0, 2, 3, 1)

    add(name, function([x], r, lines), [x], peer, SIZE[dtype] * batch * channels * (side * side + out * out), exact=exact, group="window",
        tolerance={"f32": 1e-6, "f16": 2e-3, "bf16": 1e-2}[dtype])


def pooling_back(name, dtype, batch, side, channels, kernel, stride):
    """select_and_scatter: the gradient of a maximum over windows."""
    out = (side - kernel) // stride + 1
    x, g = ((batch, side, side, channels), dtype), ((batch, out, out, channels), dtype)
    lines = ["%%z = stablehlo.constant dense<0.0> : tensor<%s>" % dtype, '%%r = "stablehlo.select_and_scatter"(%%a0, %%a1, %%z) <{window_dimensions = array<i64: 1, '
             '%d, %d, 1>, window_strides = array<i64: 1, %d, %d, 1>}> ({' % (kernel, kernel, stride, stride),
             "^bb0(%%p: tensor<%s>, %%q: tensor<%s>):" % (dtype, dtype),
             "  %%c = stablehlo.compare GE, %%p, %%q : (tensor<%s>, tensor<%s>) -> tensor<i1>" % (dtype, dtype), "  stablehlo.return %c : tensor<i1>", "}, {",
             "^bb0(%%p: tensor<%s>, %%q: tensor<%s>):" % (dtype, dtype), "  %%c = stablehlo.add %%p, %%q : tensor<%s>" % dtype,
             "  stablehlo.return %%c : tensor<%s>" % dtype, "}) : (%s, %s, tensor<%s>) -> %s" % (tensor(*x), tensor(*g), dtype, tensor(*x))]

    def peer(torch, t):
        image = t[0].permute(0, 3, 1, 2)
        _, where = torch.nn.functional.max_pool2d(image, kernel, stride, return_indices=True)
        gradient = t[1].permute(0, 3, 1, 2)
        backward = torch.ops.aten.max_pool2d_with_indices_backward
        return lambda: backward(gradient, image, [kernel, kernel], [stride, stride], [0, 0], [1, 1], False, where)

    def exact(torch, t):
        return peer(torch, t)().permute(0, 2, 3, 1)

    add(name, function([x, g], tensor(*x), lines), [x, g], peer, SIZE[dtype] * batch * channels * (2 * side * side + out * out), exact=exact, group="window",
        tolerance=1e-6)


def cumulative(name, shape, dim, dtype="f32"):
    ty, n = tensor(shape, dtype), shape[dim]
    sizes, pads = [1] * len(shape), [[0, 0] for _ in shape]
    sizes[dim], pads[dim] = n, [n - 1, 0]
    lines = ["%%z = stablehlo.constant dense<0.0> : tensor<%s>" % dtype, '%%r = "stablehlo.reduce_window"(%%a0, %%z) <{window_dimensions = array<i64: %s>, padding = dense<%s> : tensor<%dx2xi64>}> ({'
             % (", ".join(map(str, sizes)), pads, len(shape)), "^bb0(%%p: tensor<%s>, %%q: tensor<%s>):" % (dtype, dtype), "  %%c = stablehlo.add %%p, %%q : tensor<%s>" % dtype,
             "  stablehlo.return %%c : tensor<%s>" % dtype, "}) : (%s, tensor<%s>) -> %s" % (ty, dtype, ty)]
    elements = 1
    for extent in shape:
        elements *= extent
    add(name, function([(shape, dtype)], ty, lines), [(shape, dtype)], lambda torch, x: lambda: torch.cumsum(x[0], dim), 2 * SIZE[dtype] * elements,
        exact=lambda torch, x: torch.cumsum(x[0].double(), dim), group="scan", tolerance=1e-4 if dtype == "f32" else 4e-3)


rows(65536, 1024)
rows(16384, 4096)
rows(4096, 4096)
rows(262144, 256)
rows(2048, 32768)
rows(1024, 65536)
others()
for dtype in ("bf16", "f16"):
    for n, d in ((65536, 1024), (16384, 4096), (4096, 16384), (2048, 32768), (1024, 65536)):
        narrow_rows(n, d, dtype)
transposed((16384, 16384), (1, 0), "bf16")
transposed((8191, 8191), (1, 0), "f32")
transposed((8192, 8192), (1, 0), "i32")
transposed((16, 2048, 16, 64), (0, 2, 1, 3), "bf16")
transposed((32, 12, 512, 512), (0, 1, 3, 2), "bf16")
transposed((1 << 23, 3), (1, 0), "f32")
transposed((3, 1 << 23), (1, 0), "f32")
transposed((1 << 22, 8), (1, 0), "f32")
transposed((64, 3, 512, 512), (0, 2, 3, 1), "f32")
transposed((64, 512, 512, 3), (0, 3, 1, 2), "f32")
transposed((12001, 5003), (1, 0), "bf16")
transposed((8191, 16383), (1, 0), "bf16")
transposed((20011, 10007), (1, 0), "i8")
gather("gather_rows", 1 << 19, 131072, 512, "f32")
gather("gather_bf16_4096", 128256, 16384, 4096, "bf16")
scatter("scatter_add_i32_1m", "i32", "add", 1 << 20, 1 << 20)
scatter("scatter_add_f32_1m", "f32", "add", 1 << 20, 1 << 20)
scatter("scatter_add_i32_16k", "i32", "add", 1 << 14, 1 << 20)
scatter("scatter_max_i32_100", "i32", "maximum", 100, 1 << 20)
pooling("max_pool_f16_112x64", "maximum", "f16", 32, 112, 64, 3, 2)
pooling("max_pool_f32_112x64", "maximum", "f32", 32, 112, 64, 3, 2)
pooling("avg_pool_f32_56x256", "add", "f32", 32, 56, 256, 3, 1)
pooling_back("max_pool_back_f32_112x64", "f32", 32, 112, 64, 2, 2)
pooling_back("max_pool_back_f32_overlap", "f32", 32, 113, 64, 3, 2)
cumulative("cumsum_rows_16384x4096", (16384, 4096), 1)
cumulative("cumsum_columns_4096x16384", (4096, 16384), 0)
cumulative("cumsum_columns_bf16_8192x16384", (8192, 16384), 0, "bf16")
cumulative("cumsum_columns_16384x4096", (16384, 4096), 0)
cumulative("cumsum_64m", (1 << 26,), 0)
