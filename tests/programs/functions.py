"""Activations, losses, special functions, statistics and shape work in the mixture that model code has."""

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np
from jax import lax

from registry import normal, program, uniform, whole


@program
def activations_all():
    kinds = ("relu6 celu elu gelu glu hard_sigmoid hard_silu hard_swish hard_tanh leaky_relu log_sigmoid mish selu sigmoid silu soft_sign "
             "softplus sparse_plus squareplus swish tanh").split()
    return (lambda x: [getattr(jax.nn, k)(x) for k in kinds]), (normal("act", 6, 10, scale=2.0),)


@program
def special_functions_gamma():
    return (lambda x: (special.gammaln(x), special.digamma(x), special.gammainc(x, 2.0), special.gammaincc(x, x + 1), special.polygamma(1, x))), (uniform("sg", 25, low=0.2, high=9),)


@program
def special_functions_error():
    return (lambda x: (special.erf(x), special.erfc(x), special.erfinv(x / 4), special.ndtr(x), special.log_ndtr(x), special.ndtri(jax.nn.sigmoid(x)))), (normal("se", 25),)


@program
def special_functions_bessel_beta():
    return (lambda x: (special.i0(x), special.i0e(x), special.i1(x), special.i1e(x), special.betaln(x, 2.5), special.betainc(x, 1.5, x / 9), special.zeta(x + 1.5, 1.0))), (uniform("sb", 15, low=0.3, high=6),)


@program
def special_functions_misc():
    return (lambda x: (special.expit(x), special.logit(jax.nn.sigmoid(x)), special.xlogy(x, x + 3), special.entr(jnp.abs(x)), special.rel_entr(jnp.abs(x), 0.5 + jnp.abs(x)), jnp.sinc(x), special.spence(jnp.abs(x)))), (normal("sm", 19),)


@program
def losses_collection():
    import optax

    def run(x, y, labels):
        return (optax.huber_loss(x, y), optax.l2_loss(x, y), optax.log_cosh(x, y), optax.softmax_cross_entropy_with_integer_labels(x, labels),
                optax.sigmoid_focal_loss(x, (y > 0).astype(jnp.float32)), optax.cosine_distance(x, y), optax.hinge_loss(x[:, 0], jnp.sign(y[:, 0])), optax.kl_divergence(jax.nn.log_softmax(x), jax.nn.softmax(y)))

    return run, (normal("lc1", 7, 5), normal("lc2", 7, 5), whole("lc3", 7, high=5))


@program
def label_smoothing_and_focal_gradient():
    def loss(x, labels):
        t = jax.nn.one_hot(labels, 6) * 0.9 + 0.1 / 6
        p = jax.nn.softmax(x)
        return -jnp.mean(jnp.sum(t * (1 - p) ** 2 * jnp.log(p), -1))

    return jax.grad(loss), (normal("lsf", 9, 6), whole("lsfy", 9, high=6))


@program
def statistics_collection():
    return (lambda x: (jnp.var(x, 0, ddof=1), jnp.std(x), jnp.cov(x.T), jnp.corrcoef(x.T), jnp.ptp(x, 1), jnp.average(x, 0, weights=jnp.arange(12.0)), jax.nn.standardize(x))), (normal("stc", 12, 5),)


@program
def welford_running_moments():
    def run(x):
        def step(s, v):
            n, mean, m2 = s
            n = n + 1
            d = v - mean
            mean = mean + d / n
            return (n, mean, m2 + d * (v - mean)), m2 / n

        return lax.scan(step, (0.0, jnp.zeros(4), jnp.zeros(4)), x)

    return run, (normal("wel", 15, 4),)


@program
def interpolation_and_polynomials():
    return (lambda x, y, t, c: (jnp.interp(t, x, y), jnp.polyval(c, t), jnp.polymul(c, c), jnp.polyder(c), jnp.trapezoid(y, x), jnp.gradient(y))), (
        np.sort(normal("ipx", 9)), normal("ipy", 9), normal("ipt", 14), normal("ipc", 5))


@program
def spline_basis_cox_de_boor():
    def run(x):
        knots = jnp.linspace(-1.5, 2.5, 12)
        b = ((x[:, None] >= knots[:-1]) & (x[:, None] < knots[1:])).astype(jnp.float32)
        for k in (1, 2, 3):
            left = (x[:, None] - knots[: -k - 1]) / (knots[k:-1] - knots[: -k - 1])
            right = (knots[k + 1 :] - x[:, None]) / (knots[k + 1 :] - knots[1:-k])
            b = left * b[:, :-1] + right * b[:, 1:]
        return b

    return run, (uniform("spl", 21),)


@program
def shapes_stack_split_tile_repeat():
    def run(x, y):
        a, b, c = jnp.split(x, [2, 5], 1)
        return (jnp.stack([x, y]), jnp.tile(a, (2, 3)), jnp.repeat(b, jnp.array([1, 0, 2, 1]), axis=0, total_repeat_length=4), jnp.hstack([c, a]), jnp.roll(x, (1, -2), (0, 1)), jnp.rot90(y), jnp.flip(x, 0))

    return run, (normal("ss1", 4, 7), normal("ss2", 4, 7))


@program
def pads_in_every_mode():
    modes = ("constant", "edge", "reflect", "symmetric", "wrap", "mean", "maximum", "linear_ramp")
    return (lambda x: [jnp.pad(x, ((1, 2), (2, 0)), mode=m) for m in modes]), (normal("pem", 4, 5),)


@program
def indexing_collection():
    def run(x, i, j, m):
        return (
            x[i], x[i, j], x[:, None, 1::2], x[..., -1], jnp.take(x, i, 1, mode="wrap"), jnp.where(m, x, 0)[::-1, ::-2], jnp.diagonal(x, 1), jnp.tril(x, -1), jnp.triu(x))

    return run, (normal("ic", 6, 8), whole("ici", 5, low=-6, high=6), whole("icj", 5, high=8), normal("icm", 6, 8) > 0)


@program
def updates_at_indices():
    def run(x, i, v):
        return x.at[i].set(v), x.at[i].add(v), x.at[i].multiply(v), x.at[i].max(v), x.at[i].min(v), x.at[:, ::2].set(0), x.at[i, 0].apply(jnp.sin), x.at[i + 4].set(v, mode="drop"), x.at[i].get(mode="fill", fill_value=7)

    return run, (normal("ua", 6, 4), np.array([1, 3, 5], np.int32), normal("uav", 3, 4))


@program
def masked_losses_with_nan_guard():
    def loss(x, m):
        safe = jnp.where(m, x, 1.0)
        return jnp.sum(jnp.where(m, jnp.log(safe), 0.0)) / jnp.maximum(m.sum(), 1)

    return jax.value_and_grad(loss), (normal("mln", 6, 7), normal("mln", 6, 7) > 0)


@program
def conditionals_switch_and_nested():
    def run(k, x):
        y = lax.switch(k, [jnp.sin, jnp.cos, lambda x: x * 2, lambda x: lax.cond(x[0] > 0, jnp.exp, jnp.abs, x)], x)
        return lax.cond(k > 1, lambda y: y.sum(), lambda y: y.prod(), y), jax.vmap(lambda k, v: lax.switch(k, [jnp.sin, jnp.cos], v))(jnp.array([0, 1, 1]), x[:3])

    return run, (np.int32(3), normal("csn", 5))


@program
def collatz_while_of_integers():
    def run(n):
        body = lambda s: (jnp.where(s[0] == 1, 1, jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1)), s[1] + (s[0] != 1))
        return lax.while_loop(lambda s: jnp.any(s[0] != 1), body, (n, jnp.zeros_like(n)))[1]

    return run, (np.arange(1, 30, dtype=np.int32),)


@program
def integer_arithmetic_semantics():
    def run(a, b):
        return a // b, a % b, lax.div(a, b), lax.rem(a, b), a**2, jnp.gcd(a, b), jnp.lcm(a, b), a << 2, jnp.sign(a), jnp.clip(a, -5, 5), a.astype(jnp.uint8), jnp.bitwise_count(jnp.abs(a))

    return run, (whole("ias", 40, low=-50, high=50), np.where(whole("iasb", 40, low=-9, high=9) == 0, 3, whole("iasb", 40, low=-9, high=9)).astype(np.int32))


@program
def float_semantics_edges():
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e38, -1e38, 0.5, 1.5, 2.5, -0.5, -1.5, 3e9, -3e9, 1e-30], np.float32)
    def run(x):
        return (jnp.round(x), jnp.floor(x), jnp.ceil(x), jnp.trunc(x), jnp.sign(x), jnp.isfinite(x), jnp.minimum(x, 1.0), jnp.maximum(x, 1.0), jnp.exp(x), jnp.sqrt(x), 1 / x, jnp.nextafter(x, jnp.zeros_like(x) + 9), jnp.nan_to_num(x),
                jnp.fmax(x, 0.5), jnp.copysign(1.0, x), jnp.signbit(x), jnp.frexp(x[5:])[0], jnp.ldexp(x[5:], 2), lax.reduce_precision(x, 5, 10))
    return run, (x,)


@program
def conversions_between_all_types():
    kinds = [jnp.int8, jnp.uint8, jnp.int16, jnp.int32, jnp.uint32, jnp.float16, jnp.bfloat16, jnp.float32, jnp.bool_]
    return (lambda x: [x.astype(k).astype(jnp.float32) for k in kinds] + [x.astype(jnp.int32).astype(k).astype(jnp.float32) for k in kinds]), (uniform("cba", 31, low=0, high=100),)


@program(tolerance=0.02)
def float8_fake_quantisation():
    def run(x, w):
        scale = jnp.max(jnp.abs(x)) / 448
        q = (x / scale).astype(jnp.float8_e4m3fn)
        return q.astype(jnp.float32) * scale, (q.astype(jnp.float32) * scale) @ w, x.astype(jnp.float8_e5m2).astype(jnp.float32)

    return run, (normal("f8q", 9, 16), normal("f8w", 16, 4))


@program
def int4_weights_unpacked():
    return (lambda x, w: x @ w.astype(jnp.int4).astype(jnp.float32)), (normal("i4x", 5, 12), whole("i4w", 12, 6, low=-8, high=8))


@program
def fake_quantisation_aware_gradient():
    def loss(w, x):
        q = lambda w: w + lax.stop_gradient(jnp.clip(jnp.round(w * 16), -127, 127) / 16 - w)
        return jnp.mean((x @ q(w)) ** 2)

    return jax.value_and_grad(loss), (normal("fqw", 8, 4), normal("fqx", 6, 8))


@program
def pooling_gradients():
    def loss(x):
        m = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
        a = lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "VALID") / 4
        return jnp.sum(m**2) + jnp.sum(jnp.sin(a))

    return jax.grad(loss), (normal("plg", 2, 9, 8, 3),)


@program
def normalisations_and_their_gradients():
    def run(x, g, b):
        def layer(x):
            m, v = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
            return (x - m) * lax.rsqrt(v + 1e-5) * g + b

        rms = lambda x: x * lax.rsqrt(jnp.mean(x**2, -1, keepdims=True) + 1e-6) * g
        return layer(x), rms(x), jax.grad(lambda x: jnp.sum(jnp.cos(layer(x) + rms(x))))(x)

    return run, (normal("nag", 7, 12), uniform("nagg", 12), normal("nagb", 12))


@program
def softmax_temperature_gumbel_straight_through():
    def run(x, u, t):
        y = jax.nn.softmax((x - jnp.log(-jnp.log(u))) / t)
        hard = jax.nn.one_hot(jnp.argmax(y, -1), 8)
        return hard - lax.stop_gradient(y) + y, jax.nn.logsumexp(x / t, -1)

    return run, (normal("stg", 5, 8), uniform("stgu", 5, 8, low=0.01, high=0.99), np.float32(0.5))


@program
def vmapped_scan_and_named_axes():
    def run(x):
        row = lambda v: lax.scan(lambda c, t: (c * 0.5 + t, c), 0.0, v)[1]
        return jax.vmap(row)(x), jax.vmap(lambda v: v - lax.pmean(v, "b"), axis_name="b")(x)

    return run, (normal("vsn", 5, 9),)


@program
def dates_and_modular_clock():
    def run(days):
        z = days + 719468
        era = z // 146097
        doe = z - era * 146097
        yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
        doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
        mp = (5 * doy + 2) // 153
        return jnp.stack([yoe + era * 400, jnp.where(mp < 10, mp + 3, mp - 9), doy - (153 * mp + 2) // 5 + 1], -1)

    return run, (whole("dmc", 30, low=-20000, high=40000),)


@program
def hash_grid_encoding():
    def run(x, table):
        p = jnp.floor(x * 16).astype(jnp.uint32)
        primes = jnp.array([1, 2654435761, 805459861], jnp.uint32)
        corners = jnp.stack(jnp.meshgrid(*[jnp.arange(2, dtype=jnp.uint32)] * 3, indexing="ij"), -1).reshape(8, 3)
        h = (p[:, None] + corners) * primes
        at = (h[..., 0] ^ h[..., 1] ^ h[..., 2]) % 64
        f = x * 16 - jnp.floor(x * 16)
        w = jnp.prod(jnp.where(corners[None] == 1, f[:, None], 1 - f[:, None]), -1)
        return jnp.sum(table[at] * w[..., None], 1)

    return run, (uniform("hge", 20, 3), normal("hget", 64, 2))


@program
def zero_sized_and_scalar_edges():
    return (lambda e, s: (e.sum(), e @ jnp.zeros((0, 3)), jnp.concatenate([e, jnp.ones((2, 0))], 0), s + 1, jnp.max(s), jnp.broadcast_to(s, (1, 1, 2)))), (np.zeros((2, 0), np.float32), np.float32(3))


@program
def tabular_factorisation_machine():
    def run(ids, table, w):
        e = table[ids]
        pair = 0.5 * jnp.sum(jnp.sum(e, 1) ** 2 - jnp.sum(e**2, 1), -1)
        return jax.nn.sigmoid(w[ids].sum(1) + pair)

    return run, (whole("tfm", 9, 5, high=30), normal("tfmt", 30, 4), normal("tfmw", 30))


@program
def capsule_dynamic_routing():
    def run(u):
        squash = lambda s: s * (jnp.sum(s**2, -1, keepdims=True) / (1 + jnp.sum(s**2, -1, keepdims=True))) * lax.rsqrt(jnp.sum(s**2, -1, keepdims=True) + 1e-7)
        b = jnp.zeros(u.shape[:3])
        for _ in range(3):
            v = squash(jnp.einsum("bij,bijd->bjd", jax.nn.softmax(b, -1), u))
            b = b + jnp.einsum("bijd,bjd->bij", u, v)
        return v

    return run, (normal("cap", 2, 6, 4, 5),)


@program
def normalising_flow_coupling_and_inverse():
    def run(x, w1, w2):
        a, b = jnp.split(x, 2, -1)
        s, t = jnp.split(jnp.tanh(a @ w1) @ w2, 2, -1)
        y = b * jnp.exp(jnp.tanh(s)) + t
        back = (y - t) * jnp.exp(-jnp.tanh(s))
        return y, back, jnp.tanh(s).sum(-1)

    return run, (normal("nfc", 6, 8), normal("nfw", 4, 16), normal("nfv", 16, 8))


@program
def kolmogorov_arnold_layer():
    def run(x, c, g):
        basis = jnp.exp(-((x[..., None] - g) ** 2) * 4)
        return jnp.einsum("big,iog->bo", basis, c) + jax.nn.silu(x) @ c[..., 0]

    return run, (normal("kan", 7, 5), normal("kanc", 5, 6, 8), np.linspace(-2, 2, 8).astype(np.float32))


@program
def recommender_two_tower_logq():
    def run(u, i, w, q):
        s = jnp.tanh(u @ w) @ jnp.tanh(i @ w).T - jnp.log(q)
        return -jnp.mean(jnp.diag(jax.nn.log_softmax(s)))

    return jax.grad(run, 2), (normal("rtu", 8, 6), normal("rti", 8, 6), normal("rtw", 6, 4), uniform("rtq", 8, low=0.01))
