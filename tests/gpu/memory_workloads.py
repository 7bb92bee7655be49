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
    table, picked, width = 65536, 131072, 512
    t, i, r = tensor((table, width), "f32"), tensor((picked, 1), "i32"), tensor((picked, width), "f32")
    line = ('%%r = "stablehlo.gather"(%%a0, %%a1) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], '
            'start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, %d>, indices_are_sorted = false} : (%s, %s) -> %s' % (width, t, i, r))
    add("gather_rows", function([((table, width), "f32"), ((picked, 1), "i32")], r, [line]), [((table, width), "f32"), ((picked, 1), "i32", table)],
        lambda torch, x: lambda: torch.nn.functional.embedding(x[1][:, 0], x[0]), 4 * width * (picked + table))
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


rows(65536, 1024)
rows(16384, 4096)
rows(4096, 4096)
rows(262144, 256)
others()
