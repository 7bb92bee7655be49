"""The workloads that Fornax is measured by on a GPU: StableHLO text, random inputs, the same work in torch.

WORKLOADS maps a name to a Workload. `text` is what `fornax compile` is given; `peer(torch, inputs)` returns a callable that
does the same on tensors of torch; `exact(torch, inputs)` the result in higher precision, or None where the peer is exact.
`work` is floating-point operations (kind "flop") or bytes that must be moved (kind "byte").
"""
import os

MLIR = {"f32": "f32", "bf16": "bf16", "f16": "f16", "f64": "f64", "i32": "i32", "i8": "i8", "f8": "f8E4M3FN"}
SIZE = {"f32": 4, "bf16": 2, "f16": 2, "f64": 8, "i32": 4, "i8": 1, "f8": 1}


class Workload:
    def __init__(self, group, text, inputs, peer, work, kind="flop", exact=None, flags=(), tf32=False, tolerance=None, result=None):
        self.group, self.text, self.inputs, self.peer = group, text, inputs, peer
        self.work, self.kind, self.exact, self.flags, self.tf32 = work, kind, exact, list(flags), tf32
        self.tolerance = tolerance
        # Name of torch's type of the result where its size does not tell.
        self.result = result


WORKLOADS = {}


def tensor(shape, dtype):
    return "tensor<%s%s>" % ("".join("%dx" % d for d in shape), MLIR[dtype])


def function(arguments, result, lines):
    args = ", ".join("%%a%d: %s" % (i, tensor(*a)) for i, a in enumerate(arguments))
    body = "\n".join("  " + line for line in lines)
    return "func.func @main(%s) -> %s {\n%s\n  return %%r : %s\n}\n" % (args, result, body, result)


def matmul_text(m, n, k, dtype, transposed, result=None, imprecise=False):
    a, b, r = ((m, k), dtype), ((n, k) if transposed else (k, n), dtype), tensor((m, n), result or dtype)
    element = MLIR[dtype]
    algorithm = (", algorithm = <lhs_precision_type = %s, rhs_precision_type = %s, accumulation_type = f32, lhs_component_count = 1, "
                 "rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = true>" % (element, element))
    line = "%%r = stablehlo.dot_general %%a0, %%a1, contracting_dims = [1] x [%d]%s : (%s, %s) -> %s" % (
        1 if transposed else 0, algorithm if imprecise else "", tensor(*a), tensor(*b), r)
    return function([a, b], r, [line])


def add_matmul(group, name, m, n, k, dtype, transposed=False, flags=(), tf32=False, tolerance=None):
    shapes = [((m, k), dtype), ((n, k) if transposed else (k, n), dtype)]

    def peer(torch, x):
        out = torch.empty((m, n), dtype=x[0].dtype, device="cuda")
        b = x[1].T if transposed else x[1]
        return lambda: torch.matmul(x[0], b, out=out)

    def exact(torch, x):
        b = x[1].T if transposed else x[1]
        wide = torch.float64 if dtype in ("f32", "f64") else torch.float32
        return x[0].to(wide) @ b.to(wide)

    WORKLOADS[name] = Workload(group, matmul_text(m, n, k, dtype, transposed), shapes, peer, 2.0 * m * n * k,
                               exact=exact, flags=flags, tf32=tf32, tolerance=tolerance)


def add_narrow_matmul(m, n, k, dtype, transposed, fast=False):
    """i8 into i32 (torch._int_mm), e4m3 into bf16 (torch._scaled_mm, which sums up in f32 every 128 steps unless `fast`, nor does Fornax then)."""
    shapes = [((m, k), dtype), ((n, k) if transposed else (k, n), dtype)]
    name = "gemm_%s_%d%s%s" % (dtype, n, "_bt" if transposed else "", "_fast" if fast else "")

    def peer(torch, x):
        if dtype == "i8":
            b = x[1].T if transposed else x[1]
            return lambda: torch._int_mm(x[0], b)
        one = torch.ones((), device="cuda")
        b = x[1].T if transposed else x[1].T.contiguous().T  # the only layout that it takes: not timed
        return lambda: torch._scaled_mm(x[0], b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=fast)

    def exact(torch, x):
        b = x[1].T if transposed else x[1]
        return x[0].to(torch.float64) @ b.to(torch.float64)

    integer = dtype == "i8"
    WORKLOADS[name] = Workload("narrow", matmul_text(m, n, k, dtype, transposed, "i32" if integer else "bf16", fast), shapes, peer, 2.0 * m * n * k,
                               exact=exact, tolerance=1e-12 if integer else 5e-3 if fast else 2.5e-3, result="int32" if integer else "bfloat16")


def products():
    for n in (4096, 8192):
        for transposed in (True, False):
            add_narrow_matmul(n, n, n, "i8", transposed)
            add_narrow_matmul(n, n, n, "f8", transposed)
        add_narrow_matmul(n, n, n, "f8", True, fast=True)
    for dtype in ("bf16", "f16"):
        for n in (2048, 4096, 8192):
            for transposed in (False, True):
                add_matmul("gemm", "gemm_%s_%d%s" % (dtype, n, "_bt" if transposed else ""), n, n, n, dtype, transposed)
    for n in (2048, 4096):
        add_matmul("f32", "gemm_f32_%d" % n, n, n, n, "f32", tolerance=2e-6)
    add_matmul("tf32", "gemm_tf32_4096", 4096, 4096, 4096, "f32", flags=["--f32-matmul=tf32"], tf32=True, tolerance=1e-3)
    add_matmul("f64", "gemm_f64_4096", 4096, 4096, 4096, "f64", tolerance=1e-13)
    add_matmul("gemv", "gemv_bf16_8192x28672", 1, 28672, 8192, "bf16")
    add_matmul("gemv", "gemv_bf16_8192x28672_bt", 1, 28672, 8192, "bf16", True)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "transformer_shapes.txt")
    for line in open(path):
        if not line.startswith("#") and line.strip():
            m, n, k = map(int, line.split())
            add_matmul("transformer", "t_%dx%dx%d" % (m, n, k), m, n, k, "bf16")


def attention_text(b, h, s, d, dtype, causal):
    q, sc = tensor((b, h, s, d), dtype), tensor((b, h, s, s), dtype)
    f, rows = tensor((b, h, s, s), "f32"), tensor((b, h, s), "f32")
    lines = ["%%s0 = stablehlo.dot_general %%a0, %%a1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (%s, %s) -> %s" % (q, q, sc),
             "%%s1 = stablehlo.convert %%s0 : (%s) -> %s" % (sc, f),
             "%%c = stablehlo.constant dense<%.9e> : %s" % (d ** -0.5, f),
             "%%s2 = stablehlo.multiply %%s1, %%c : %s" % f]
    scores = "%s2"
    if causal:
        i, p = "tensor<%dx%dxi32>" % (s, s), "tensor<%dx%dxi1>" % (s, s)
        lines += ["%%i = stablehlo.iota dim = 0 : %s" % i, "%%j = stablehlo.iota dim = 1 : %s" % i,
                  "%%p = stablehlo.compare GE, %%i, %%j : (%s, %s) -> %s" % (i, i, p),
                  "%%pb = stablehlo.broadcast_in_dim %%p, dims = [2, 3] : (%s) -> tensor<%dx%dx%dx%dxi1>" % (p, b, h, s, s),
                  "%%low = stablehlo.constant dense<0xFF800000> : %s" % f,
                  "%%s3 = stablehlo.select %%pb, %%s2, %%low : tensor<%dx%dx%dx%dxi1>, %s" % (b, h, s, s, f)]
        scores = "%s3"
    lines += ["%ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>", "%zero = stablehlo.constant dense<0.0> : tensor<f32>",
              "%%m = stablehlo.reduce(%s init: %%ninf) applies stablehlo.maximum across dimensions = [3] : (%s, tensor<f32>) -> %s" % (scores, f, rows),
              "%%mb = stablehlo.broadcast_in_dim %%m, dims = [0, 1, 2] : (%s) -> %s" % (rows, f),
              "%%x = stablehlo.subtract %s, %%mb : %s" % (scores, f), "%%e = stablehlo.exponential %%x : %s" % f,
              "%%t = stablehlo.reduce(%%e init: %%zero) applies stablehlo.add across dimensions = [3] : (%s, tensor<f32>) -> %s" % (f, rows),
              "%%tb = stablehlo.broadcast_in_dim %%t, dims = [0, 1, 2] : (%s) -> %s" % (rows, f),
              "%%w = stablehlo.divide %%e, %%tb : %s" % f, "%%wn = stablehlo.convert %%w : (%s) -> %s" % (f, sc),
              "%%r = stablehlo.dot_general %%wn, %%a2, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (%s, %s) -> %s" % (sc, q, q)]
    return function([((b, h, s, d), dtype)] * 3, q, lines)


def add_attention(group, dtype, d, s, causal, cudnn):
    """Against cuDNN's kernel, or against the one that torch chooses."""
    b, h = max(1, 16384 // s // 4), 16
    shape = (b, h, s, d)

    def peer(torch, x):
        f = torch.nn.functional.scaled_dot_product_attention
        if not cudnn:
            return lambda: f(x[0], x[1], x[2], is_causal=causal)
        backend = torch.nn.attention.SDPBackend.CUDNN_ATTENTION

        def call():
            with torch.nn.attention.sdpa_kernel(backend):
                return f(x[0], x[1], x[2], is_causal=causal)
        return call

    def exact(torch, x):
        if s > 4096:
            return None
        f = torch.nn.functional.scaled_dot_product_attention
        wide = torch.float64 if dtype == "f32" else torch.float32
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            return f(*[t.to(wide) for t in x], is_causal=causal)

    name = "%s_%s_d%d_s%d%s" % (group, dtype, d, s, "_causal" if causal else "")
    WORKLOADS[name] = Workload(group, attention_text(b, h, s, d, dtype, causal), [(shape, dtype)] * 3, peer,
                               4.0 * b * h * s * s * d / (2 if causal else 1), exact=exact, tolerance=2e-6 if dtype == "f32" else 1.2e-2)


def attentions():
    for dtype in ("bf16", "f16"):
        for d in (64, 128):
            for s in (1024, 2048, 4096, 8192, 16384):
                for causal in (False, True):
                    add_attention("attention", dtype, d, s, causal, True)
    for dtype, d in (("f32", 64), ("f32", 128), ("bf16", 40), ("bf16", 80), ("bf16", 96), ("bf16", 192), ("bf16", 256)):
        for s in (1024, 4096):
            for causal in (False, True):
                add_attention("heads", dtype, d, s, causal, False)


def decode_text(heads, shared, s, d, dtype):
    """One row of `heads` queries over a cache of `s` keys and values, `shared` queries to each."""
    groups = heads // shared
    q, kv, o = (tensor(shape, dtype) for shape in ((groups, shared, d), (groups, s, d), (groups, shared, d)))
    sc, f, rows = tensor((groups, shared, s), dtype), tensor((groups, shared, s), "f32"), tensor((groups, shared), "f32")
    lines = ["%%s0 = stablehlo.dot_general %%a0, %%a1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (%s, %s) -> %s" % (q, kv, f),
             "%%c = stablehlo.constant dense<%.9e> : %s" % (d ** -0.5, f),
             "%%s2 = stablehlo.multiply %%s0, %%c : %s" % f,
             "%ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>", "%zero = stablehlo.constant dense<0.0> : tensor<f32>",
             "%%m = stablehlo.reduce(%%s2 init: %%ninf) applies stablehlo.maximum across dimensions = [2] : (%s, tensor<f32>) -> %s" % (f, rows),
             "%%mb = stablehlo.broadcast_in_dim %%m, dims = [0, 1] : (%s) -> %s" % (rows, f),
             "%%x = stablehlo.subtract %%s2, %%mb : %s" % f, "%%e = stablehlo.exponential %%x : %s" % f,
             "%%t = stablehlo.reduce(%%e init: %%zero) applies stablehlo.add across dimensions = [2] : (%s, tensor<f32>) -> %s" % (f, rows),
             "%%tb = stablehlo.broadcast_in_dim %%t, dims = [0, 1] : (%s) -> %s" % (rows, f),
             "%%w = stablehlo.divide %%e, %%tb : %s" % f, "%%wn = stablehlo.convert %%w : (%s) -> %s" % (f, sc),
             "%%r = stablehlo.dot_general %%wn, %%a2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (%s, %s) -> %s" % (sc, kv, o)]
    return function([((groups, shared, d), dtype), ((groups, s, d), dtype), ((groups, s, d), dtype)], o, lines)


def decodes():
    for heads, shared in ((32, 1), (32, 4)):
        for s in (1024, 2048, 4096, 8192, 16384, 32768):
            groups, d, dtype = heads // shared, 128, "bf16"

            def exact(torch, x, d=d):
                q, k, v = [t.float() for t in x]
                return torch.softmax(q @ k.transpose(1, 2) * d ** -0.5, -1) @ v

            def peer(torch, x):
                f = torch.nn.functional.scaled_dot_product_attention
                return lambda: f(x[0][None], x[1][None], x[2][None])[0]

            name = "decode_bf16_%dx%d_s%d" % (groups, shared, s)
            inputs = [((groups, shared, d), dtype), ((groups, s, d), dtype), ((groups, s, d), dtype)]
            WORKLOADS[name] = Workload("decode", decode_text(heads, shared, s, d, dtype), inputs, peer, 2.0 * 2 * groups * s * d, kind="byte",
                                       exact=exact, tolerance=1.2e-2)


# Distinct convolutions of ResNet50 and MobileNetV2 at 224x224: input side, kernel, stride, channels in, out, groups.
CONVOLUTIONS = [
    (224, 7, 2, 3, 64, 1), (56, 1, 1, 64, 64, 1), (56, 3, 1, 64, 64, 1), (56, 1, 1, 64, 256, 1), (56, 1, 1, 256, 64, 1),
    (56, 1, 2, 256, 512, 1), (28, 3, 1, 128, 128, 1), (28, 1, 1, 128, 512, 1), (28, 1, 1, 512, 128, 1), (28, 1, 2, 512, 1024, 1),
    (14, 3, 1, 256, 256, 1), (14, 1, 1, 256, 1024, 1), (14, 1, 1, 1024, 256, 1), (14, 1, 2, 1024, 2048, 1),
    (7, 3, 1, 512, 512, 1), (7, 1, 1, 512, 2048, 1), (7, 1, 1, 2048, 512, 1),
    (112, 3, 1, 32, 32, 32), (112, 3, 2, 96, 96, 96), (56, 3, 1, 144, 144, 144), (28, 3, 1, 192, 192, 192), (14, 3, 1, 384, 384, 384),
    (14, 3, 1, 576, 576, 576), (7, 3, 1, 960, 960, 960), (112, 1, 1, 16, 96, 1), (56, 1, 1, 24, 144, 1), (14, 1, 1, 96, 576, 1),
    (7, 1, 1, 320, 1280, 1),
]


def convolutions():
    for batch in (1, 32):
        for side, kernel, stride, cin, cout, groups in CONVOLUTIONS:
            for mode, dtype, flags in (("f16", "f16", []), ("tf32", "f32", ["--f32-matmul=tf32"]), ("f32", "f32", [])):
                pad, out = kernel // 2, side // stride
                x, w = ((batch, side, side, cin), dtype), ((kernel, kernel, cin // groups, cout), dtype)
                high = (out - 1) * stride + kernel - side - pad
                result = tensor((batch, out, out, cout), dtype)
                line = ("%%r = stablehlo.convolution(%%a0, %%a1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = "
                        "{stride = [%d, %d], pad = [[%d, %d], [%d, %d]]} {batch_group_count = 1 : i64, feature_group_count = %d : i64} "
                        ": (%s, %s) -> %s" % (stride, stride, pad, high, pad, high, groups, tensor(*x), tensor(*w), result))

                def arrange(torch, t, pad=pad, high=high):
                    image = t[0].permute(0, 3, 1, 2)
                    if high != pad:
                        image = torch.nn.functional.pad(image, (pad, high, pad, high))
                    return image.contiguous(memory_format=torch.channels_last), t[1].permute(3, 2, 0, 1).contiguous(
                        memory_format=torch.channels_last), 0 if high != pad else pad

                def peer(torch, t, stride=stride, groups=groups, arrange=arrange):
                    image, weight, padding = arrange(torch, t)
                    return lambda: torch.nn.functional.conv2d(image, weight, stride=stride, padding=padding, groups=groups)

                def exact(torch, t, stride=stride, groups=groups, arrange=arrange):
                    image, weight, padding = arrange(torch, [v.double() for v in t])
                    return torch.nn.functional.conv2d(image, weight, stride=stride, padding=padding, groups=groups).permute(0, 2, 3, 1)

                name = "conv_%s_b%d_%dx%d_s%d_%d_%d%s" % (mode, batch, side, kernel, stride, cin, cout, "_dw" if groups > 1 else "")
                work = 2.0 * batch * out * out * cout * kernel * kernel * cin / groups
                WORKLOADS[name] = Workload("conv_" + mode, function([x, w], result, [line]), [x, w], peer, work, exact=exact, flags=flags,
                                           tf32=mode == "tf32", tolerance={"f16": 2e-3, "tf32": 1e-3, "f32": 2e-6}[mode])


products()
attentions()
decodes()
convolutions()
