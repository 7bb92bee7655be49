"""Image augmentation, resampling, morphology, detection and rendering parts."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from registry import normal, program, uniform, whole


def image(seed, *shape):
    return uniform(seed, *shape)


for method in ("nearest", "linear", "cubic", "lanczos3"):
    program(name="resize_up_" + method)(lambda m=method: ((lambda x: jax.image.resize(x, (2, 13, 17, 3), m)), (image("ru", 2, 7, 9, 3),)))
    program(name="resize_down_" + method)(lambda m=method: ((lambda x: jax.image.resize(x, (2, 5, 4, 3), m)), (image("rd", 2, 11, 10, 3),)))


@program
def rotate_bilinear():
    def run(x, angle):
        h, w = x.shape
        y, z = jnp.mgrid[0:h, 0:w] - jnp.array([h, w]).reshape(2, 1, 1) / 2
        c, s = jnp.cos(angle), jnp.sin(angle)
        return jax.scipy.ndimage.map_coordinates(x, [c * y + s * z + h / 2, -s * y + c * z + w / 2], order=1, mode="nearest")

    return run, (image("rot", 12, 15), np.float32(0.4))


@program
def augment_batch_flip_crop_jitter():
    def run(x, seed):
        def one(key, x):
            a, b, c = jax.random.split(key, 3)
            x = jnp.where(jax.random.bernoulli(a), x[:, ::-1], x)
            at = jax.random.randint(b, (2,), 0, 5)
            x = lax.dynamic_slice(jnp.pad(x, ((2, 2), (2, 2), (0, 0)), mode="reflect"), (at[0], at[1], 0), (8, 8, 3))
            return jnp.clip(x * jax.random.uniform(c, (3,), minval=0.7, maxval=1.3), 0, 1)

        return jax.vmap(one)(jax.random.split(jax.random.wrap_key_data(seed), x.shape[0]), x)

    return run, (image("aug", 4, 8, 8, 3), np.array([4, 2], np.uint32))


@program
def mixup_cutmix():
    def run(x, y, seed):
        key = jax.random.wrap_key_data(seed)
        lam = jax.random.beta(key, 0.4, 0.4)
        perm = jax.random.permutation(key, x.shape[0])
        rows = (jnp.arange(8) < 8 * lam)[None, :, None, None]
        return jnp.where(rows, x, x[perm]), lam * y + (1 - lam) * y[perm]

    return run, (image("mix", 4, 8, 8, 1), np.eye(4, dtype=np.float32), np.array([1, 2], np.uint32))


@program
def random_erasing_masks():
    def run(x, boxes):
        r, c = jnp.arange(10)[:, None], jnp.arange(12)[None]
        inside = (r >= boxes[:, 0, None, None]) & (r < boxes[:, 1, None, None]) & (c >= boxes[:, 2, None, None]) & (c < boxes[:, 3, None, None])
        return jnp.where(inside[..., None], 0.5, x)

    return run, (image("re", 3, 10, 12, 3), np.array([[1, 4, 2, 9], [0, 10, 0, 1], [5, 5, 5, 5]], np.int32))


@program
def hsv_round_trip():
    def run(x):
        r, g, b = x[..., 0], x[..., 1], x[..., 2]
        v, m = jnp.max(x, -1), jnp.min(x, -1)
        d = v - m
        safe = jnp.where(d == 0, 1, d)
        h = jnp.where(v == r, (g - b) / safe % 6, jnp.where(v == g, (b - r) / safe + 2, (r - g) / safe + 4))
        h = jnp.where(d == 0, 0, h) / 6
        s = jnp.where(v == 0, 0, d / jnp.where(v == 0, 1, v))
        h6 = ((h + 0.1) % 1) * 6
        f = lambda n: v - v * s * jnp.clip(jnp.minimum((n + h6) % 6, 4 - (n + h6) % 6), 0, 1)
        return jnp.stack([f(5), f(3), f(1)], -1)

    return run, (image("hsv", 2, 6, 5, 3),)


@program
def jpeg_blocks_dct_quantise():
    def run(x, table):
        n = jnp.arange(8)
        d = jnp.cos((2 * n[None] + 1) * n[:, None] * jnp.pi / 16) * jnp.where(n == 0, 8**-0.5, 0.5)[:, None]
        blocks = x.reshape(3, 8, 2, 8).transpose(0, 2, 1, 3)
        q = jnp.round(d @ blocks @ d.T / table)
        return q.astype(jnp.int16), d.T @ (q * table) @ d

    return run, (image("jpg", 24, 16) * 255 - 128, whole("jpgt", 8, 8, low=6, high=60).astype(np.float32))


@program
def gaussian_blur_separable():
    def run(x):
        k = jnp.exp(-0.5 * (jnp.arange(-3, 4) / 1.2) ** 2)
        k = k / k.sum()
        conv = lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=3)
        k = jnp.broadcast_to(k[:, None, None, None], (7, 1, 1, 3))
        return conv(conv(x, k), k.transpose(1, 0, 2, 3))

    return run, (image("gb", 2, 11, 9, 3),)


@program
def sobel_edges_and_hysteresis():
    def run(x):
        k = jnp.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]], jnp.float32)
        conv = lambda k: lax.conv_general_dilated(x[None, None], k[None, None], (1, 1), "SAME")[0, 0]
        mag = jnp.hypot(conv(k), conv(k.T))
        strong, weak = mag > 2.0, mag > 1.0
        grow = lambda m: lax.reduce_window(m, False, lax.bitwise_or, (3, 3), (1, 1), "SAME") & weak
        return lax.while_loop(lambda s: jnp.any(s[0] != s[1]), lambda s: (s[1], grow(s[1])), (strong, grow(strong)))[0]

    return run, (image("sob", 14, 15),)


@program
def morphology_open_close():
    def run(x):
        erode = lambda x: lax.reduce_window(x, jnp.inf, lax.min, (3, 3), (1, 1), "SAME")
        dilate = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (3, 3), (1, 1), "SAME")
        return dilate(erode(x)) - erode(dilate(x))

    return run, (image("mor", 10, 12),)


@program
def median_filter_patches():
    def run(x):
        p = lax.conv_general_dilated_patches(x[None, None], (3, 3), (1, 1), "SAME")[0]
        return jnp.median(p, 0)

    return run, (image("mf", 9, 8),)


@program
def local_response_and_instance_norm():
    def run(x):
        s = lax.reduce_window(x * x, 0.0, lax.add, (1, 1, 1, 5), (1, 1, 1, 1), "SAME")
        y = x / (1 + 0.02 * s) ** 0.75
        m, v = y.mean((1, 2), keepdims=True), y.var((1, 2), keepdims=True)
        return (y - m) * lax.rsqrt(v + 1e-5)

    return run, (normal("lrn", 2, 6, 5, 8),)


@program
def dilated_grouped_convolutions():
    def run(x, w):
        return lax.conv_general_dilated(x, w, (1, 2), ((2, 1), (0, 3)), lhs_dilation=(2, 1), rhs_dilation=(1, 2), feature_group_count=2)

    return run, (normal("dgx", 2, 6, 9, 8), normal("dgw", 10, 3, 3, 2))


@program
def convolution_weight_gradient_batch_groups():
    def run(x, w):
        f = lambda w: jnp.sum(lax.conv_general_dilated(x, w, (2, 1), "SAME", feature_group_count=4) ** 2)
        return jax.grad(f)(w)

    return run, (normal("cwx", 3, 4, 8, 7), normal("cww", 8, 1, 3, 3))


@program
def convolution_three_dimensions():
    return (lambda x, w: lax.conv_general_dilated(x, w, (1, 2, 1), "VALID", dimension_numbers=("NDHWC", "DHWIO", "NDHWC"))), (
        normal("c3x", 1, 5, 7, 6, 2), normal("c3w", 2, 3, 3, 2, 4))


@program
def pixel_shuffle_super_resolution():
    def run(x, w):
        y = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        n, h, v, c = y.shape
        return y.reshape(n, h, v, 2, 2, c // 4).transpose(0, 1, 3, 2, 4, 5).reshape(n, h * 2, v * 2, c // 4)

    return run, (image("ps", 2, 5, 6, 3), normal("psw", 3, 3, 3, 12))


@program
def unet_small():
    w = {n: normal("un" + n, 3, 3, i, o, scale=0.2) for n, i, o in (("a", 1, 4), ("b", 4, 8), ("c", 12, 4), ("d", 4, 1))}

    def run(w, x):
        conv = lambda x, k, s=1: jax.nn.relu(lax.conv_general_dilated(x, k, (s, s), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
        a = conv(x, w["a"])
        b = conv(lax.reduce_window(a, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), w["b"])
        up = jnp.repeat(jnp.repeat(b, 2, 1), 2, 2)
        return conv(conv(jnp.concatenate([a, up], -1), w["c"]), w["d"])

    return run, (w, image("unx", 2, 8, 8, 1))


@program
def deformable_sampling_gradient():
    def loss(x, offset):
        def sample(img, yx):
            y0, x0 = jnp.floor(yx[0]).astype(int), jnp.floor(yx[1]).astype(int)
            fy, fx = yx[0] - y0, yx[1] - x0
            at = lambda a, b: img[jnp.clip(a, 0, 7), jnp.clip(b, 0, 7)]
            return (1 - fy) * ((1 - fx) * at(y0, x0) + fx * at(y0, x0 + 1)) + fy * ((1 - fx) * at(y0 + 1, x0) + fx * at(y0 + 1, x0 + 1))

        grid = jnp.stack(jnp.mgrid[0:8, 0:8], -1).reshape(-1, 2) + offset
        return jnp.sum(jax.vmap(lambda p: sample(x, p))(grid) ** 2)

    return jax.grad(loss, (0, 1)), (image("def", 8, 8), normal("defo", 64, 2, scale=0.7))


@program
def roi_align_mean():
    def run(f, boxes):
        def one(b):
            ys, xs = (jnp.linspace(b[at], b[at + 2], 4) for at in (0, 1))
            g = jnp.meshgrid(ys, xs, indexing="ij")
            return jnp.stack([jax.scipy.ndimage.map_coordinates(f[..., c], g, 1) for c in range(2)], -1).reshape(2, 2, 2, 2, 2).mean((1, 3))

        return jax.vmap(one)(boxes)

    return run, (image("roi", 10, 10, 2), np.array([[1, 1, 6, 5], [0, 3, 9, 8.5]], np.float32))


@program
def ray_marching_sphere():
    def run(directions):
        def body(_, t):
            p = jnp.array([0.0, 0.0, -3.0]) + t[:, None] * directions
            return t + jnp.linalg.norm(p, axis=1) - 1.0

        t = lax.fori_loop(0, 12, body, jnp.zeros(20))
        n = jnp.array([0.0, 0.0, -3.0]) + t[:, None] * directions
        return jnp.where(t < 10, jnp.maximum(n @ jnp.array([0.3, 0.6, -0.7]), 0), 0.0)

    d = normal("rms", 20, 3, scale=0.25)
    d[:, 2] = 1
    return run, (d / np.linalg.norm(d, axis=1, keepdims=True),)


@program
def nerf_volume_rendering():
    def run(density, colour, t):
        delta = jnp.diff(t, append=t[:, -1:] + 1)
        alpha = 1 - jnp.exp(-jax.nn.relu(density) * delta)
        through = jnp.cumprod(jnp.concatenate([jnp.ones((5, 1)), 1 - alpha[:, :-1] + 1e-10], 1), 1)
        w = alpha * through
        return (w[..., None] * jax.nn.sigmoid(colour)).sum(1), (w * t).sum(1)

    return run, (normal("nvd", 5, 16), normal("nvc", 5, 16, 3), np.sort(uniform("nvt", 5, 16, low=1, high=6), 1))


@program
def optical_flow_lucas_kanade():
    def run(a, b):
        gx, gy = (jnp.roll(a, -1, s) - jnp.roll(a, 1, s) for s in (1, 0))
        it = b - a
        box = lambda v: lax.reduce_window(v, 0.0, lax.add, (5, 5), (1, 1), "SAME")
        xx, yy, xy, xt, yt = box(gx * gx), box(gy * gy), box(gx * gy), box(gx * it), box(gy * it)
        det = xx * yy - xy**2 + 1e-3
        return jnp.stack([(-yy * xt + xy * yt) / det, (xy * xt - xx * yt) / det])

    x = image("of", 16, 16)
    return run, (x, np.roll(x, 1, 1))


@program
def connected_components_labels():
    def run(m):
        start = jnp.where(m, jnp.arange(1, m.size + 1).reshape(m.shape), 0)

        def grow(l):
            return jnp.where(m, lax.reduce_window(l, 0, lax.max, (3, 3), (1, 1), "SAME"), 0)

        return lax.while_loop(lambda s: jnp.any(s[0] != s[1]), lambda s: (s[1], grow(s[1])), (start, grow(start)))[0]

    return run, (whole("ccl", 9, 10, high=3) > 0,)
