"""Sorts, top-k, searches, segments, sets and other work on order."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from registry import normal, program, uniform, whole


@program
def sort_axes_and_descending():
    return (lambda x: (jnp.sort(x, 0), jnp.sort(x, 1), jnp.sort(x, 1, descending=True), jnp.sort(x, None))), (normal("sad", 13, 17),)


@program
def sort_with_nan_inf_and_zeros():
    x = normal("snz", 4, 15)
    x[0, :6] = [np.nan, np.inf, -np.inf, 0.0, -0.0, np.nan]
    return (lambda x: (jnp.sort(x), jnp.argsort(x, stable=True))), (x,)


@program
def argsort_and_inverse():
    return (lambda x: (jnp.argsort(jnp.argsort(x)), jnp.take_along_axis(x, jnp.argsort(x), -1))), (normal("aai", 3, 40),)


@program
def lexicographic_sort():
    return (lambda a, b, c: (jnp.lexsort((c, b, a)), lax.sort((a, b, c), num_keys=2))), (whole("la", 30, high=3), whole("lb", 30, high=4), normal("lc", 30))


@program
def sort_integers_of_all_widths():
    kinds = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32]
    return (lambda *xs: [jnp.sort(x) for x in xs]), tuple(whole("sw%d" % at, 33, low=0 if "u" in np.dtype(k).name else -100, high=120).astype(k) for at, k in enumerate(kinds))


@program
def top_k_values_and_indices():
    return (lambda x: (lax.top_k(x, 5), lax.top_k(x.astype(jnp.int32), 1))), (normal("tk", 7, 50, scale=9.0),)


@program
def top_k_gradient():
    return jax.grad(lambda x: jnp.sum(lax.top_k(x, 3)[0] ** 2)), (normal("tkg", 4, 9),)


@program
def approximate_maxima():
    return (lambda x: lax.approx_max_k(x, 4, recall_target=1.0)), (normal("am", 3, 64),)


@program
def unique_with_counts():
    return (lambda x: jnp.unique(x, return_counts=True, return_inverse=True, size=8, fill_value=-1)), (whole("uc", 25, high=7),)


@program
def histogram_and_digitize():
    return (lambda x: (jnp.histogram(x, bins=7, range=(-3, 3))[0], jnp.digitize(x, jnp.linspace(-2, 2, 5)))), (normal("hd", 60),)


@program
def searchsorted_both_sides():
    return (lambda a, v: (jnp.searchsorted(a, v), jnp.searchsorted(a, v, side="right", method="sort"))), (np.sort(whole("ssa", 20)), whole("ssv", 11))


@program
def median_and_quantiles():
    return (lambda x: (jnp.median(x, 1), jnp.quantile(x, jnp.array([0.1, 0.5, 0.77]), axis=0), jnp.percentile(x, 30))), (normal("mq", 9, 14),)


@program
def medians_and_histogram_of_a_long_line():
    # The sorts go by digits; the comparators share their constants with the rest.
    return (lambda x: (jnp.median(x), jnp.quantile(x, 0.9), jnp.histogram(x, bins=40)[0], jnp.argsort(x)[::97], jnp.where(x == 0, jnp.nan, x)[:5])), (normal("mh", 3001),)


@program
def sorts_of_long_lines_of_every_type():
    def run(wide):
        types = (jnp.int8, jnp.uint8, jnp.int16, jnp.int32, jnp.uint32, jnp.float16, jnp.bfloat16, jnp.float32)
        lines = [(jnp.abs(wide) if jnp.issubdtype(t, jnp.unsignedinteger) else wide).astype(t) for t in types]
        return [(jnp.sort(x, 1), jnp.argsort(x, 1)[:, ::31], jnp.argsort(x, 1, descending=True)[:, ::29]) for x in lines]

    x = normal("sl", 2, 4099, scale=40.0)
    x[0, ::5], x[0, 2::9] = 0.0, -0.0
    return run, (x,)


@program
def segments_of_many_rows():
    return (lambda x, i: (jax.ops.segment_sum(x, i, 300), jax.ops.segment_max(x, i, 300), jax.ops.segment_min(x, i - 3, 300))), (normal("smr", 30000), whole("smri", 30000, high=300))


@program
def nan_statistics():
    x = normal("ns", 6, 8)
    x[1, 2] = x[4] = np.nan
    return (lambda x: (jnp.nanmean(x, 1), jnp.nanmax(x[:3], 1), jnp.nansum(x), jnp.nanstd(x[:4], 0))), (x,)


@program
def segment_reductions():
    def run(x, ids):
        return jax.ops.segment_sum(x, ids, 6), jax.ops.segment_max(x, ids, 6), jax.ops.segment_min(x, ids, 6), jax.ops.segment_prod(x, ids, 6)

    return run, (normal("sr", 30, 3), whole("sri", 30, high=6))


@program
def graph_message_passing():
    """A graph attention layer: gather by edge, softmax by segment, scatter-add."""

    def run(h, w, a, src, dst):
        z = h @ w
        score = jax.nn.leaky_relu(jnp.concatenate([z[src], z[dst]], -1) @ a)
        top = jax.ops.segment_max(score, dst, 10)[dst]
        e = jnp.exp(score - top)
        weight = e / jax.ops.segment_sum(e, dst, 10)[dst]
        return jax.nn.elu(jax.ops.segment_sum(weight[:, None] * z[src], dst, 10))

    return run, (normal("gmh", 10, 6), normal("gmw", 6, 5), normal("gma", 10), whole("gms", 40, high=10), np.arange(40, dtype=np.int32) % 10)


@program
def cumulative_all():
    return (lambda x: (jnp.cumsum(x, 0), jnp.cumprod(x, 1), lax.cummax(x, 0), lax.cummin(x, 1, reverse=True), lax.cumlogsumexp(x, 0))), (normal("cu", 7, 9),)


@program
def bitonic_sort_by_hand():
    def run(x):
        n = x.shape[0]
        i = jnp.arange(n)
        k = 2
        while k <= n:
            j = k // 2
            while j:
                other = x[i ^ j]
                up = (i & k) == 0
                low = (i & j) == 0
                x = jnp.where(up == low, jnp.minimum(x, other), jnp.maximum(x, other))
                j //= 2
            k *= 2
        return x

    return run, (normal("bs", 32),)


@program
def nearest_neighbours():
    def run(x, y):
        d = jnp.sum(x**2, 1)[:, None] - 2 * x @ y.T + jnp.sum(y**2, 1)
        return lax.top_k(-d, 3)

    return run, (normal("nnx", 8, 5), normal("nny", 20, 5))


@program
def k_means_fixed_rounds():
    def run(x, c):
        def body(_, c):
            near = jnp.argmin(jnp.sum((x[:, None] - c) ** 2, -1), 1)
            hot = jax.nn.one_hot(near, 3)
            return (hot.T @ x) / jnp.maximum(hot.sum(0)[:, None], 1)

        return lax.fori_loop(0, 5, body, c)

    x = normal("km", 40, 2)
    return run, (x, x[:3] + 0.1)


@program
def non_maximum_suppression():
    def run(boxes, scores):
        order = jnp.argsort(-scores)
        b = boxes[order]
        area = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
        low, high = jnp.maximum(b[:, None, :2], b[None, :, :2]), jnp.minimum(b[:, None, 2:], b[None, :, 2:])
        inter = jnp.prod(jnp.maximum(high - low, 0), -1)
        iou = inter / (area[:, None] + area - inter)

        def body(at, keep):
            drop = (iou[at] > 0.3) & (jnp.arange(12) > at) & keep[at]
            return keep & ~drop

        return order, lax.fori_loop(0, 12, body, jnp.ones(12, bool))

    corner = uniform("nms", 12, 2, high=5)
    return run, (np.concatenate([corner, corner + uniform("nmsw", 12, 2, low=1, high=3)], 1), uniform("nmss", 12))


@program
def priority_queue_dijkstra():
    def run(w):
        def body(_, s):
            dist, done = s
            at = jnp.argmin(jnp.where(done, jnp.inf, dist))
            return jnp.minimum(dist, dist[at] + w[at]), done.at[at].set(True)

        return lax.fori_loop(0, 9, body, (jnp.full(9, jnp.inf).at[0].set(0), jnp.zeros(9, bool)))[0]

    return run, (uniform("dij", 9, 9, low=0.1, high=4),)


@program
def edit_distance_dynamic_programming():
    def run(a, b):
        def row(prev, x):
            def cell(left, t):
                up, diagonal, y = t
                v = jnp.minimum(jnp.minimum(left, up) + 1, diagonal + (x != y))
                return v, v

            first = prev[0] + 1
            rest = lax.scan(cell, first, (prev[1:], prev[:-1], b))[1]
            return jnp.concatenate([first[None], rest]), None

        return lax.scan(row, jnp.arange(b.shape[0] + 1), a)[0]

    return run, (whole("eda", 11, high=4), whole("edb", 9, high=4))


@program
def floyd_warshall():
    return (lambda d: lax.fori_loop(0, 8, lambda k, d: jnp.minimum(d, d[:, k, None] + d[None, k]), d)), (uniform("fw", 8, 8, low=0.2, high=5),)


@program
def run_length_encoding():
    def run(x):
        start = jnp.concatenate([jnp.ones(1, bool), x[1:] != x[:-1]])
        at = jnp.nonzero(start, size=20, fill_value=24)[0]
        return x[jnp.minimum(at, 23)], jnp.diff(at, append=24)

    return run, (np.repeat(whole("rle", 12, high=4), 2),)


@program
def game_of_life_bits():
    def run(b):
        def step(b, _):
            n = sum(jnp.roll(b, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
            b = ((n == 3) | ((b == 1) & (n == 2))).astype(jnp.uint8)
            return b, b.sum(dtype=jnp.int32)

        return lax.scan(step, b, None, length=6)

    return run, (whole("gol", 11, 13, high=2).astype(np.uint8),)


@program
def bit_tricks():
    def run(x):
        return lax.population_count(x), lax.clz(x), x << 3, x >> 2, x ^ (x >> 1), ~x & 0xFF, lax.bitcast_convert_type(x, jnp.float32)

    return run, (whole("bt", 29, low=0, high=2**31 - 1).astype(np.uint32),)


@program
def crc32_table_loop():
    def run(data):
        n = jnp.arange(256, dtype=jnp.uint32)
        table = lax.fori_loop(0, 8, lambda _, c: jnp.where(c & 1, (c >> 1) ^ jnp.uint32(0xEDB88320), c >> 1), n)
        step = lambda c, b: ((c >> 8) ^ table[(c ^ b) & 0xFF], None)
        return ~lax.scan(step, jnp.uint32(0xFFFFFFFF), data.astype(jnp.uint32))[0]

    return run, (whole("crc", 37, high=256).astype(np.uint8),)
