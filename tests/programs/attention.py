"""Attention in the forms models use, with caches; mixtures of experts; language-model parts."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from registry import dense, normal, program, uniform, whole


def heads(seed, batch=2, length=9, count=4, width=8, dtype=np.float32):
    return [normal(seed + part, batch, length, count, width).astype(dtype) for part in "qkv"]


def attend(q, k, v, mask=None, bias=None, scale=None, cap=None):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * (scale or q.shape[-1] ** -0.5)
    if cap:
        scores = cap * jnp.tanh(scores / cap)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = jnp.where(mask, scores, -1e30)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), v)


@program
def attention_plain():
    return attend, tuple(heads("ap"))


@program
def attention_causal():
    return (lambda q, k, v: attend(q, k, v, jnp.tril(jnp.ones((9, 9), bool)))), tuple(heads("ac"))


@program
def attention_window():
    def run(q, k, v):
        i = jnp.arange(9)
        return attend(q, k, v, (i[:, None] >= i) & (i[:, None] - i < 3))

    return run, tuple(heads("aw"))


@program
def attention_alibi_softcap():
    def run(q, k, v):
        i = jnp.arange(9)
        slopes = 2.0 ** -jnp.arange(1, 5)
        return attend(q, k, v, bias=-slopes[:, None, None] * jnp.abs(i[:, None] - i), cap=5.0)

    return run, tuple(heads("aa"))


@program
def attention_padding_mask():
    def run(q, k, v, lengths):
        return attend(q, k, v, (jnp.arange(9) < lengths[:, None])[:, None, None, :])

    return run, (*heads("apm"), np.array([9, 4], np.int32))


@program
def attention_grouped_queries():
    def run(q, k, v):
        return attend(q, jnp.repeat(k, 4, 2), jnp.repeat(v, 4, 2))

    return run, (heads("agq", count=8)[0], *heads("agk", count=2)[:2])


@program(tolerance=3e-2)
def attention_bf16_jax_nn():
    import ml_dtypes

    q, k, v = heads("abj", length=17, width=16, dtype=ml_dtypes.bfloat16)
    return (lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True)), (q, k, v)


@program
def attention_jax_nn_bias_mask():
    def run(q, k, v, bias, mask):
        return jax.nn.dot_product_attention(q, k, v, bias=bias, mask=mask, scale=0.3)

    return run, (*heads("ajn"), normal("ajb", 1, 4, 9, 9), whole("ajm", 2, 1, 9, 9, high=3) > 0)


@program
def attention_gradient():
    def loss(q, k, v):
        return jnp.sum(attend(q, k, v, jnp.tril(jnp.ones((9, 9), bool))) ** 2)

    return jax.grad(loss, (0, 1, 2)), tuple(heads("ag"))


@program
def attention_rotary_multi_query():
    def rotate(x):
        half = x.shape[-1] // 2
        angle = jnp.arange(x.shape[1])[:, None] * 10000.0 ** (-jnp.arange(half) / half)
        cos, sin = jnp.cos(angle)[:, None], jnp.sin(angle)[:, None]
        a, b = x[..., :half], x[..., half:]
        return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

    def run(q, k, v):
        k, v = (jnp.broadcast_to(t[:, :, :1], t.shape) for t in (k, v))
        return attend(rotate(q), rotate(k), v, jnp.tril(jnp.ones((9, 9), bool)))

    return run, tuple(heads("arm"))


@program
def attention_rotary_complex():
    def run(x):
        z = lax.complex(x[..., 0::2], x[..., 1::2])
        angle = jnp.arange(x.shape[1])[:, None, None] * 0.1 ** jnp.arange(x.shape[-1] // 2)
        z = z * jnp.exp(1j * angle)
        return jnp.stack([z.real, z.imag], -1).reshape(x.shape)

    return run, (normal("arc", 2, 7, 3, 8),)


@program
def attention_relative_position_bias():
    def run(q, k, v, table):
        i = jnp.arange(9)
        d = jnp.clip(i[None] - i[:, None], -4, 4) + 4
        return attend(q, k, v, bias=table[d].transpose(2, 0, 1))

    return run, (*heads("arp"), normal("arpt", 9, 4))


@program
def attention_t5_buckets():
    def run(table, q, k, v):
        i = jnp.arange(9)
        n = jnp.abs(i[None] - i[:, None])
        large = 2 + (jnp.log(jnp.maximum(n, 1).astype(jnp.float32) / 2) / jnp.log(8.0) * 6).astype(jnp.int32)
        bucket = jnp.where(n < 2, n, jnp.minimum(large, 7)) + jnp.where(i[None] > i[:, None], 8, 0)
        return attend(q, k, v, bias=table[bucket].transpose(2, 0, 1), scale=1.0)

    return run, (normal("t5", 16, 4), *heads("t5h"))


@program
def attention_cross_perceiver():
    def run(latents, x, wq, wk, wv):
        q, k, v = (t.reshape(*t.shape[:2], 2, 8) for t in (latents @ wq, x @ wk, x @ wv))
        return attend(q, k, v).reshape(latents.shape)

    return run, (normal("cpl", 2, 5, 16), normal("cpx2", 2, 23, 12), normal("cpq", 16, 16), normal("cpk", 12, 16), normal("cpv", 12, 16))


@program
def attention_blockwise_scan():
    """Online softmax over blocks of keys: what flash attention computes, as a scan."""

    def run(q, k, v):
        blocks = lambda t: t.reshape(2, 4, 6, 4, 8).swapaxes(0, 1)

        def step(carry, kv):
            m, l, o = carry
            s = jnp.einsum("bqhd,bkhd->bhqk", q, kv[0]) * 8**-0.5
            new = jnp.maximum(m, s.max(-1))
            p, fix = jnp.exp(s - new[..., None]), jnp.exp(m - new)
            return (new, l * fix + p.sum(-1), o * fix[..., None] + jnp.einsum("bhqk,bkhd->bhqd", p, kv[1])), None

        start = (jnp.full((2, 4, 9), -jnp.inf), jnp.zeros((2, 4, 9)), jnp.zeros((2, 4, 9, 8)))
        m, l, o = lax.scan(step, start, (blocks(k), blocks(v)))[0]
        return (o / l[..., None]).swapaxes(1, 2), m + jnp.log(l)

    return run, (heads("abs")[0], *heads("abk", length=24)[:2])


@program
def attention_cache_decode_step():
    def step(cache_k, cache_v, at, q, k, v):
        cache_k = lax.dynamic_update_slice(cache_k, k, (0, at, 0, 0))
        cache_v = lax.dynamic_update_slice(cache_v, v, (0, at, 0, 0))
        return attend(q, cache_k, cache_v, jnp.arange(16) <= at), cache_k, cache_v

    return step, (normal("cdk", 2, 16, 4, 8), normal("cdv", 2, 16, 4, 8), np.int32(6), *heads("cd", length=1))


@program
def attention_cache_generation_loop():
    """Ten tokens of a one-layer model: cache in a scan carry, greedy choice, embeddings."""
    p = {"e": normal("cge", 19, 16), "qkv": normal("cgq", 16, 48, scale=0.3), "o": normal("cgo", 16, 16, scale=0.3)}

    def run(p, token):
        def step(carry, at):
            k, v, token = carry
            x = p["e"][token]
            q, nk, nv = jnp.split(x @ p["qkv"], 3)
            k, v = k.at[at].set(nk.reshape(2, 8)), v.at[at].set(nv.reshape(2, 8))
            s = jnp.einsum("hd,khd->hk", q.reshape(2, 8), k) * 8**-0.5
            w = jax.nn.softmax(jnp.where(jnp.arange(10) <= at, s, -jnp.inf))
            x = x + jnp.einsum("hk,khd->hd", w, v).reshape(16) @ p["o"]
            logits = x @ p["e"].T
            return (k, v, jnp.argmax(logits)), (token, logits)

        zero = jnp.zeros((10, 2, 8))
        return lax.scan(step, (zero, zero, token), jnp.arange(10))[1]

    return run, (p, np.int32(3))


@program
def attention_rolling_cache():
    def step(cache, at, k):
        cache = lax.dynamic_update_index_in_dim(cache, k, at % 5, 1)
        return cache, jnp.roll(cache, -(at % 5) - 1, axis=1)

    return step, (normal("rc", 2, 5, 3), np.int32(12), normal("rck", 2, 3))


@program
def attention_paged_cache():
    def run(pages, table, lengths, q):
        k = pages[table].reshape(3, 12, 8)
        s = jnp.where(jnp.arange(12) < lengths[:, None], jnp.einsum("bd,bkd->bk", q, k), -jnp.inf)
        return jnp.einsum("bk,bkd->bd", jax.nn.softmax(s), k)

    return run, (normal("pcp", 10, 4, 8), whole("pct", 3, 3, high=10), np.array([12, 5, 1], np.int32), normal("pcq", 3, 8))


@program
def attention_quantised_cache_int8():
    def run(q, k, v):
        def quantise(t):
            scale = jnp.max(jnp.abs(t), -1, keepdims=True) / 127
            return jnp.round(t / scale).astype(jnp.int8), scale

        (k8, ks), (v8, vs) = quantise(k), quantise(v)
        return attend(q, k8.astype(jnp.float32) * ks, v8.astype(jnp.float32) * vs)

    return run, tuple(heads("aq8"))


@program
def attention_sliding_blocks_local():
    def run(x):
        blocks = x.reshape(2, 6, 4, 8)
        before = jnp.pad(blocks[:, :-1], ((0, 0), (1, 0), (0, 0), (0, 0)))
        both = jnp.concatenate([before, blocks], 2)
        s = jnp.einsum("bnqd,bnkd->bnqk", blocks, both)
        return jnp.einsum("bnqk,bnkd->bnqd", jax.nn.softmax(s, -1), both).reshape(x.shape)

    return run, (normal("asl", 2, 24, 8),)


@program
def attention_talking_heads():
    def run(q, k, v, a, b):
        s = jnp.einsum("bqhd,bkhd,hg->bgqk", q, k, a) * 8**-0.5
        w = jnp.einsum("bgqk,gh->bhqk", jax.nn.softmax(s, -1), b)
        return jnp.einsum("bhqk,bkhd->bqhd", w, v)

    return run, (*heads("ath"), normal("atha", 4, 4), normal("athb", 4, 4))


@program
def attention_differential():
    def run(q, k, v, l):
        q1, q2 = jnp.split(q, 2, -1)
        k1, k2 = jnp.split(k, 2, -1)
        maps = [jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", a, b) / 2, -1) for a, b in ((q1, k1), (q2, k2))]
        return jnp.einsum("bhqk,bkhd->bqhd", maps[0] - l * maps[1], v)

    return run, (*heads("ad"), np.float32(0.4))


@program
def set_transformer_induced_points():
    def run(x, points, w):
        h = jax.nn.softmax(points @ x.swapaxes(1, 2)) @ x
        return jax.nn.softmax(x @ h.swapaxes(1, 2)) @ h @ w

    return run, (normal("sti", 2, 13, 8), normal("stp", 3, 8), normal("stw", 8, 8))


@program
def llama_block_bf16_free():
    """RMS norm, rotary grouped attention, SwiGLU: one decoder layer in f32."""
    p = {"n1": uniform("ln1", 16), "n2": uniform("ln2", 16), "q": normal("lbq", 16, 32, scale=0.2), "k": normal("lbk", 16, 16, scale=0.2),
         "v": normal("lbv", 16, 16, scale=0.2), "o": normal("lbo", 32, 16, scale=0.2), "g": normal("lbg", 16, 40, scale=0.2),
         "u": normal("lbu", 16, 40, scale=0.2), "d": normal("lbd", 40, 16, scale=0.2)}

    def run(p, x):
        norm = lambda x, w: x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * w
        h = norm(x, p["n1"])
        q, k, v = ((h @ p[n]).reshape(2, 7, -1, 8) for n in "qkv")
        k, v = jnp.repeat(k, 2, 2), jnp.repeat(v, 2, 2)
        x = x + attend(q, k, v, jnp.tril(jnp.ones((7, 7), bool))).reshape(2, 7, 32) @ p["o"]
        h = norm(x, p["n2"])
        return x + (jax.nn.silu(h @ p["g"]) * (h @ p["u"])) @ p["d"]

    return run, (p, normal("lbx", 2, 7, 16))


@program
def vision_transformer_patches():
    p = {"w": normal("vtw", 4 * 4 * 3, 16, scale=0.1), "c": normal("vtc", 1, 1, 16), "p": normal("vtp", 10, 16), "h": dense("vth", 16, 5)}

    def run(p, x):
        t = x.reshape(2, 3, 4, 3, 4, 3).transpose(0, 1, 3, 2, 4, 5).reshape(2, 9, 48) @ p["w"]
        t = jnp.concatenate([jnp.broadcast_to(p["c"], (2, 1, 16)), t], 1) + p["p"]
        h = t.reshape(2, 10, 2, 8)
        t = t + attend(h, h, h).reshape(t.shape)
        return t[:, 0] @ p["h"]["w"] + p["h"]["b"]

    return run, (p, normal("vtx", 2, 12, 12, 3))


def experts(seed, count=4, width=8, inner=12):
    return {"r": normal(seed + "r", width, count), "u": normal(seed + "u", count, width, inner, scale=0.3), "d": normal(seed + "d", count, inner, width, scale=0.3)}


@program
def experts_dense_gating():
    def run(p, x):
        gate = jax.nn.softmax(x @ p["r"])
        return jnp.einsum("te,eti->ti", gate, jnp.einsum("tj,ejk->etk", x, p["u"]) @ p["d"])

    return run, (experts("edg"), normal("edgx", 15, 8))


@program
def experts_top2_capacity():
    """Switch-style dispatch with capacity: one-hot, cumulative positions, einsum to slots and back."""

    def run(p, x):
        weight, chosen = lax.top_k(jax.nn.softmax(x @ p["r"]), 2)
        weight = weight / weight.sum(-1, keepdims=True)
        hot = jax.nn.one_hot(chosen, 4).transpose(1, 0, 2).reshape(-1, 4)
        at = (jnp.cumsum(hot, 0) - 1) * hot
        keep = hot * (at < 6)
        slot = jax.nn.one_hot(at.astype(jnp.int32), 6) * keep[..., None]
        slot = slot.reshape(2, 15, 4, 6)
        dispatch, combine = slot.sum(0), (slot * weight.T[:, :, None, None]).sum(0)
        h = jax.nn.gelu(jnp.einsum("tec,ti,eij->ecj", dispatch, x, p["u"])) @ p["d"]
        return jnp.einsum("tec,eci->ti", combine, h), keep.sum(0)

    return run, (experts("etc"), normal("etcx", 15, 8))


@program
def experts_sorted_ragged():
    """Tokens sorted by expert, a ragged product of the groups, scattered back."""

    def run(p, x):
        chosen = jnp.argmax(x @ p["r"], -1)
        order = jnp.argsort(chosen)
        sizes = jnp.bincount(chosen, length=4).astype(jnp.int32)
        h = jax.nn.silu(lax.ragged_dot(x[order], p["u"], sizes))
        return jnp.zeros_like(x).at[order].set(lax.ragged_dot(h, p["d"], sizes)), sizes

    return run, (experts("esr"), normal("esrx", 21, 8))


@program
def experts_gather_weights_gradient():
    def loss(p, x):
        chosen = jnp.argmax(x @ p["r"], -1)
        h = jnp.einsum("ti,tij->tj", x, p["u"][chosen])
        return jnp.sum(jnp.einsum("tj,tji->ti", jnp.tanh(h), p["d"][chosen]) ** 2)

    return jax.grad(loss), (experts("egw"), normal("egwx", 9, 8))


@program
def experts_load_balance_loss():
    def run(r, x):
        gate = jax.nn.softmax(x @ r)
        hot = jax.nn.one_hot(jnp.argmax(gate, -1), 4)
        z = jax.nn.logsumexp(x @ r, -1)
        return 4 * jnp.sum(gate.mean(0) * hot.mean(0)), jnp.mean(z**2)

    return run, (normal("elr", 8, 4), normal("elx", 33, 8))


@program
def top_p_sampling():
    def run(logits, seed):
        order = jnp.argsort(-logits, -1)
        p = jax.nn.softmax(jnp.take_along_axis(logits, order, -1))
        keep = jnp.cumsum(p, -1) - p < 0.8
        kept = jnp.where(keep, jnp.take_along_axis(logits, order, -1), -jnp.inf)
        pick = jax.random.categorical(jax.random.wrap_key_data(seed), kept)
        return jnp.take_along_axis(order, pick[:, None], -1)

    return run, (normal("tps", 5, 31, scale=2.0), np.array([1, 7], np.uint32))


@program
def repetition_penalty_and_temperature():
    def run(logits, seen):
        counts = jnp.zeros(logits.shape, jnp.int32).at[jnp.arange(3)[:, None], seen].add(1)
        scaled = jnp.where(logits > 0, logits / 1.3, logits * 1.3)
        return jax.nn.log_softmax(jnp.where(counts > 0, scaled, logits) / 0.7)

    return run, (normal("rpl", 3, 17), whole("rps", 3, 8, high=17))


@program
def speculative_decode_accept():
    def run(draft_p, target_p, tokens, u):
        ratio = jnp.take_along_axis(target_p / draft_p, tokens[..., None], -1)[..., 0]
        accepted = jnp.cumprod((u < ratio).astype(jnp.int32), -1)
        rest = jnp.maximum(target_p - draft_p, 0)
        return accepted.sum(-1), rest / rest.sum(-1, keepdims=True)

    soft = lambda s: np.asarray(jax.nn.softmax(normal(s, 3, 5, 9)))
    return run, (soft("sdd"), soft("sdt2"), whole("sdk", 3, 5, high=9), uniform("sdu", 3, 5))


@program
def lora_merged_projection():
    return (lambda x, w, a, b: x @ w + (x @ a) @ b * 2.0), (normal("lox", 4, 6, 16), normal("low", 16, 24), normal("loa", 16, 2), normal("lob", 2, 24))


@program
def weight_only_int4_linear():
    def run(x, packed, scale):
        low, high = (packed & 15).astype(jnp.int8) - 8, (packed >> 4).astype(jnp.int8) - 8
        w = jnp.stack([low, high], 1).reshape(-1, packed.shape[1]).astype(jnp.float32)
        return x @ (w.reshape(4, -1, packed.shape[1]) * scale[:, None]).reshape(w.shape)

    return run, (normal("wox", 3, 32), whole("wop", 16, 10, high=256).astype(np.uint8), uniform("wos", 4, 10))
