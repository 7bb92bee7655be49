"""Scans over time: recurrent cells, filters, beam search, state-space models."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from registry import dense, normal, program, uniform, whole


def cell_scan(cell, carry_shape, width, weights):
    def build():
        def run(params, h, xs):
            return lax.scan(lambda h, x: cell(params, h, x), h, xs)

        h = jax.tree.map(lambda s: np.zeros(s, np.float32), carry_shape, is_leaf=lambda s: isinstance(s, tuple) and isinstance(s[0], int))
        return run, (weights(), h, normal("cell", 9, 3, width))

    return build


def vanilla(p, h, x):
    h = jnp.tanh(x @ p["i"] + h @ p["h"] + p["b"])
    return h, h


def lstm(p, carry, x):
    h, c = carry
    i, f, g, o = jnp.split(x @ p["i"] + h @ p["h"] + p["b"], 4, axis=-1)
    c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return (h, c), h


def gru(p, h, x):
    xi, hi = x @ p["i"] + p["b"], h @ p["h"]
    xr, xz, xn = jnp.split(xi, 3, -1)
    hr, hz, hn = jnp.split(hi, 3, -1)
    z = jax.nn.sigmoid(xz + hz)
    h = (1 - z) * jnp.tanh(xn + jax.nn.sigmoid(xr + hr) * hn) + z * h
    return h, h


def peephole(p, carry, x):
    h, c = carry
    i, f, g, o = jnp.split(x @ p["i"] + h @ p["h"] + p["b"], 4, axis=-1)
    c = jax.nn.sigmoid(f + p["pf"] * c) * c + jax.nn.sigmoid(i + p["pi"] * c) * jnp.tanh(g)
    h = jax.nn.sigmoid(o + p["po"] * c) * jnp.tanh(c)
    return (h, c), h


def weights(gates, width=5, hidden=8):
    def make():
        return {
            "i": normal("rwi", width, gates * hidden, scale=0.4), "h": normal("rwh", hidden, gates * hidden, scale=0.3),
            "b": normal("rwb", gates * hidden, scale=0.1), "pf": normal("pf", hidden), "pi": normal("pi", hidden), "po": normal("po", hidden),
        }

    return make


program(name="rnn_vanilla")(cell_scan(vanilla, (3, 8), 5, weights(1)))
program(name="rnn_lstm")(cell_scan(lstm, ((3, 8), (3, 8)), 5, weights(4)))
program(name="rnn_gru")(cell_scan(gru, (3, 8), 5, weights(3)))
program(name="rnn_lstm_peephole")(cell_scan(peephole, ((3, 8), (3, 8)), 5, weights(4)))


@program
def rnn_lstm_gradient():
    def loss(p, xs):
        zero = jnp.zeros((3, 8))
        return jnp.sum(lax.scan(lambda c, x: lstm(p, c, x), (zero, zero), xs)[1] ** 2)

    return jax.value_and_grad(loss), (weights(4)(), normal("lg", 6, 3, 5))


@program
def rnn_bidirectional_masked():
    def run(p, xs, lengths):
        steps = jnp.arange(xs.shape[0])

        def cell(h, inputs):
            x, t = inputs
            new = vanilla(p, h, x)[0]
            h = jnp.where((t < lengths)[:, None], new, h)
            return h, h

        zero = jnp.zeros((3, 8))
        forward = lax.scan(cell, zero, (xs, steps))[1]
        backward = lax.scan(cell, zero, (xs, steps), reverse=True)[1]
        return jnp.concatenate([forward, backward], -1)

    return run, (weights(1)(), normal("bi", 7, 3, 5), np.array([7, 2, 4], np.int32))


@program
def rnn_convolutional_lstm():
    w = normal("clw", 3, 3, 2 + 4, 16, scale=0.2)

    def run(w, xs):
        def cell(carry, x):
            h, c = carry
            z = lax.conv_general_dilated(jnp.concatenate([x, h], -1), w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            i, f, g, o = jnp.split(z, 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        zero = jnp.zeros((2, 6, 6, 4))
        return lax.scan(cell, (zero, zero), xs)[0]

    return run, (w, normal("clx", 5, 2, 6, 6, 2))


@program
def ssm_diagonal_associative_scan():
    def run(a, b, x):
        decay = jnp.exp(-jax.nn.softplus(a))[None] * jnp.ones_like(x)
        combine = lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1])
        return lax.associative_scan(combine, (decay, b * x))[1]

    return run, (normal("ssa", 6), normal("ssb", 6), normal("ssx", 19, 6))


@program
def ssm_selective_scan():
    """A selective state-space layer as language models use it: input-dependent decay and gates."""
    d, n = 6, 4
    p = {"dt": dense("sdt", d, d), "b": normal("sb", d, n, scale=0.4), "c": normal("sc", d, n, scale=0.4), "a": uniform("sa", d, n, low=0.5, high=2.0), "d": normal("sd", d)}

    def run(p, xs):
        def step(h, x):
            dt = jax.nn.softplus(x @ p["dt"]["w"] + p["dt"]["b"])
            decay = jnp.exp(-dt[..., None] * p["a"])
            h = decay * h + dt[..., None] * (x @ p["b"])[:, None, :] * x[..., None]
            return h, jnp.einsum("bdn,bn->bd", h, x @ p["c"]) + p["d"] * x

        return lax.scan(step, jnp.zeros((2, d, n)), xs)[1]

    return run, (p, normal("ssx2", 11, 2, d))


@program
def linear_attention_recurrence():
    def run(q, k, v):
        phi = lambda x: jax.nn.elu(x) + 1

        def step(carry, t):
            s, z = carry
            q, k, v = t
            s, z = s + k[:, :, None] * v[:, None, :], z + k
            return (s, z), jnp.einsum("bk,bkv->bv", q, s) / (jnp.sum(q * z, -1, keepdims=True) + 1e-6)

        return lax.scan(step, (jnp.zeros((2, 4, 5)), jnp.zeros((2, 4))), (phi(q), phi(k), v))[1]

    return run, (normal("laq", 9, 2, 4), normal("lak", 9, 2, 4), normal("lav", 9, 2, 5))


@program
def kalman_filter():
    def run(f, h, q, r, ys):
        def step(carry, y):
            x, p = carry
            x, p = f @ x, f @ p @ f.T + q
            s = h @ p @ h.T + r
            gain = jnp.linalg.solve(s, h @ p).T
            x = x + gain @ (y - h @ x)
            p = p - gain @ h @ p
            return (x, p), x

        return lax.scan(step, (jnp.zeros(4), jnp.eye(4)), ys)[1]

    f = np.eye(4, dtype=np.float32) + 0.1 * np.eye(4, k=2, dtype=np.float32)
    return run, (f, normal("kh", 2, 4), 0.1 * np.eye(4, dtype=np.float32), 0.5 * np.eye(2, dtype=np.float32), normal("ky", 8, 2))


@program
def hmm_forward_backward():
    def run(log_a, log_b, log_p, seen):
        emit = log_b[:, seen].T
        alpha = lax.scan(lambda a, e: ((jax.nn.logsumexp(a[:, None] + log_a, 0) + e,) * 2), log_p + emit[0], emit[1:])[1]
        beta = lax.scan(lambda b, e: ((jax.nn.logsumexp(log_a + (b + e)[None], 1),) * 2), jnp.zeros(4), emit[1:], reverse=True)[1]
        return alpha, beta

    logs = lambda s, *n: np.log(uniform(s, *n, low=0.1)).astype(np.float32)
    return run, (logs("ha", 4, 4), logs("hb", 4, 6), logs("hp", 4), whole("hs", 12, high=6))


@program
def viterbi_path():
    def run(log_a, scores):
        def step(best, e):
            through = best[:, None] + log_a
            return jnp.max(through, 0) + e, jnp.argmax(through, 0)

        best, back = lax.scan(step, scores[0], scores[1:])
        last = jnp.argmax(best)
        path = lax.scan(lambda s, b: (b[s], b[s]), last, back, reverse=True)[1]
        return jnp.concatenate([path, last[None]]), best

    return run, (normal("va", 5, 5), normal("vs", 10, 5))


@program
def beam_search_decoder():
    """A GRU decoder with four beams in a while loop: top_k over beams times words, gathers of states."""
    p = weights(3, width=6, hidden=8)()
    out, table = dense("bso", 8, 11), normal("bst", 11, 6)

    def run(p, out, table, h):
        beams, words, length = 4, 11, 7

        def cond(s):
            return (s["t"] < length) & ~jnp.all(s["done"])

        def body(s):
            h, _ = gru(p, s["h"], table[s["tokens"][:, s["t"]]])
            logp = jax.nn.log_softmax(h @ out["w"] + out["b"])
            logp = jnp.where(s["done"][:, None], jnp.where(jnp.arange(words) == 0, 0.0, -jnp.inf), logp)
            score, at = lax.top_k((s["score"][:, None] + logp).reshape(-1), beams)
            beam, word = at // words, at % words
            tokens = s["tokens"][beam].at[:, s["t"] + 1].set(word)
            return {"t": s["t"] + 1, "h": h[beam], "tokens": tokens, "score": score, "done": s["done"][beam] | (word == 0)}

        start = {
            "t": 0, "h": jnp.broadcast_to(h, (beams, 8)), "tokens": jnp.ones((beams, length + 1), jnp.int32),
            "score": jnp.where(jnp.arange(beams) == 0, 0.0, -1e9), "done": jnp.zeros(beams, bool),
        }
        end = lax.while_loop(cond, body, start)
        return end["tokens"], end["score"], end["t"]

    return run, (p, out, table, normal("bsh", 8))


@program
def greedy_decode_fori():
    p, out, table = weights(1, width=6, hidden=8)(), dense("gdo", 8, 13), normal("gdt", 13, 6)

    def run(p, out, table, h):
        def body(t, carry):
            h, tokens = carry
            h, _ = vanilla(p, h, table[tokens[t]])
            return h, tokens.at[t + 1].set(jnp.argmax(h @ out["w"] + out["b"]).astype(jnp.int32))

        return lax.fori_loop(0, 9, body, (h, jnp.zeros(10, jnp.int32)))

    return run, (p, out, table, normal("gdh", 8))


@program
def echo_state_network():
    return (lambda w, win, xs: lax.scan(lambda h, x: ((0.7 * h + 0.3 * jnp.tanh(w @ h + win @ x),) * 2), jnp.zeros(20), xs)[1]), (
        normal("esw", 20, 20, scale=0.2), normal("esi", 20, 3), normal("esx", 15, 3))


@program
def bidirectional_scan_of_scans():
    """Rows, then columns: a scan in a scan, as multi-dimensional recurrent nets have."""

    def run(x, a):
        inner = lambda row: lax.scan(lambda h, v: ((jnp.tanh(a * h + v),) * 2), 0.0, row)[1]
        outer = lambda h, row: ((inner(row) + 0.5 * h,) * 2)
        return lax.scan(outer, jnp.zeros(x.shape[1]), x)[1]

    return run, (normal("sos", 6, 7), np.float32(0.6))


@program
def exponential_smoothing_while():
    def run(x, limit):
        cond = lambda s: (s[0] < x.shape[0]) & (s[1] < limit)
        body = lambda s: (s[0] + 1, 0.8 * s[1] + jnp.abs(x[s[0]]))
        return lax.while_loop(cond, body, (0, jnp.float32(0)))

    return run, (normal("es", 40), np.float32(3.5))


@program
def neural_turing_read_write():
    def run(memory, keys, erase, add):
        def step(m, t):
            k, e, a = t
            score = m @ k / (jnp.linalg.norm(m, axis=1) * jnp.linalg.norm(k) + 1e-6)
            w = jax.nn.softmax(5 * score)
            m = m * (1 - w[:, None] * jax.nn.sigmoid(e)) + w[:, None] * a
            return m, w @ m

        return lax.scan(step, memory, (keys, erase, add))

    return run, (normal("ntm", 8, 5), normal("ntk", 6, 5), normal("nte", 6, 5), normal("nta", 6, 5))
