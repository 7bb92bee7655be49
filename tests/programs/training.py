"""Training steps: loss, gradients, optimiser update, new state, in plain JAX, flax, keras and optax."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

from registry import dense, normal, program, uniform, whole


def mlp(params, x, act=jax.nn.relu):
    for layer in params[:-1]:
        x = act(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def layers(seed, *sizes):
    return [dense("%s%d" % (seed, at), a, b) for at, (a, b) in enumerate(zip(sizes, sizes[1:]))]


def cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1))


OPTIMISERS = {
    "sgd": lambda: optax.sgd(0.1),
    "momentum": lambda: optax.sgd(0.1, momentum=0.9, nesterov=True),
    "adam": lambda: optax.adam(1e-2),
    "adamw": lambda: optax.adamw(1e-2, weight_decay=0.05),
    "adagrad": lambda: optax.adagrad(0.1),
    "adadelta": lambda: optax.adadelta(0.5),
    "adamax": lambda: optax.adamax(1e-2),
    "nadam": lambda: optax.nadam(1e-2),
    "radam": lambda: optax.radam(1e-2),
    "rmsprop": lambda: optax.rmsprop(1e-2, centered=True, momentum=0.5),
    "lion": lambda: optax.lion(1e-3),
    "lamb": lambda: optax.lamb(1e-2),
    "lars": lambda: optax.lars(0.1),
    "adafactor": lambda: optax.adafactor(1e-2, min_dim_size_to_factor=8),
    "yogi": lambda: optax.yogi(1e-2),
    "novograd": lambda: optax.novograd(1e-2),
    "fromage": lambda: optax.fromage(1e-2),
    "sm3": lambda: optax.sm3(0.1),
    "noisy_clip": lambda: optax.chain(optax.clip_by_global_norm(0.5), optax.adam(optax.cosine_decay_schedule(1e-2, 20))),
    "warmup": lambda: optax.chain(optax.add_decayed_weights(1e-3), optax.sgd(optax.warmup_cosine_decay_schedule(0.0, 0.1, 3, 20))),
    "lookahead_free_sign": lambda: optax.sign_sgd(1e-2),
    "polyak": lambda: optax.chain(optax.clip(0.1), optax.trace(0.9), optax.scale(-0.05)),
}


def optimiser_step(kind):
    def build():
        optimiser = OPTIMISERS[kind]()
        params = layers("opt", 13, 24, 5)
        # The state of the third step, so that no moment is zero.
        grads = jax.tree.map(lambda p: 0.1 * np.cos(7 * p), params)
        state = optimiser.init(params)
        for _ in range(2):
            _, state = optimiser.update(grads, state, params)

        def step(params, state, x, labels):
            loss, grads = jax.value_and_grad(lambda p: cross_entropy(mlp(p, x), labels))(params)
            updates, state = optimiser.update(grads, state, params)
            return loss, optax.apply_updates(params, updates), state

        return step, (params, state, normal("opt/x", 17, 13), whole("opt/y", 17, high=5))

    return build


for kind in OPTIMISERS:
    program(optimiser_step(kind), name="train_mlp_" + kind)


@program
def train_ten_steps_in_a_scan():
    optimiser = optax.adam(1e-2)
    params = layers("ten", 6, 16, 1)

    def train(params, xs, ys):
        def step(carry, batch):
            params, state = carry
            x, y = batch
            loss, grads = jax.value_and_grad(lambda p: jnp.mean((mlp(p, x, jnp.tanh)[:, 0] - y) ** 2))(params)
            updates, state = optimiser.update(grads, state)
            return (optax.apply_updates(params, updates), state), loss

        (params, _), losses = lax.scan(step, (params, optimiser.init(params)), (xs, ys))
        return params, losses

    return train, (params, normal("ten/x", 10, 8, 6), normal("ten/y", 10, 8))


@program
def train_conv_batch_norm():
    """A small residual block with batch statistics, max pooling, and their gradients."""
    params = {
        "c1": normal("cbn1", 3, 3, 3, 8, scale=0.2), "c2": normal("cbn2", 3, 3, 8, 8, scale=0.1),
        "g": uniform("cbng", 8, low=0.5, high=1.5), "o": normal("cbno", 8, scale=0.1), "d": dense("cbnd", 8, 4),
    }

    def conv(x, w):
        return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def loss(params, x, labels):
        h = conv(x, params["c1"])
        mean, var = h.mean((0, 1, 2)), h.var((0, 1, 2))
        h = jax.nn.relu((h - mean) * lax.rsqrt(var + 1e-5) * params["g"] + params["o"])
        h = h + conv(h, params["c2"])
        h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return cross_entropy(h.mean((1, 2)) @ params["d"]["w"] + params["d"]["b"], labels)

    return jax.value_and_grad(loss), (params, normal("cbnx", 4, 9, 9, 3), whole("cbny", 4, high=4))


@program
def train_autoencoder_transposed_convolution():
    params = {"e": normal("aee", 4, 4, 1, 6, scale=0.3), "d": normal("aed", 4, 4, 6, 1, scale=0.3)}

    def loss(params, x):
        code = jax.nn.silu(lax.conv_general_dilated(x, params["e"], (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
        back = lax.conv_transpose(code, params["d"], (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return jnp.mean((back - x) ** 2)

    return jax.value_and_grad(loss), (params, uniform("aex", 3, 12, 12, 1))


@program(tolerance=3e-3)  # Adam's first step divides a gradient of rounding errors (the key's bias) by itself
def train_flax_transformer_block():
    import flax.linen as nn

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x):
            h = nn.LayerNorm()(x)
            x = x + nn.MultiHeadDotProductAttention(num_heads=4)(h, h)
            h = nn.LayerNorm()(x)
            return x + nn.Dense(32)(nn.gelu(nn.Dense(64)(h)))

    model = Block()
    x = normal("ftb", 2, 11, 32)
    params = jax.tree.map(np.asarray, model.init(jax.random.key(0), x))
    optimiser = optax.adamw(1e-3)
    state = optimiser.init(params)

    def step(params, state, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((model.apply(p, x) - y) ** 2))(params)
        updates, state = optimiser.update(grads, state, params)
        return loss, optax.apply_updates(params, updates), state

    return step, (params, state, x, normal("ftby", 2, 11, 32))


@program
def train_flax_cnn_dropout():
    import flax.linen as nn

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x, key):
            x = nn.relu(nn.Conv(8, (3, 3))(x))
            x = nn.avg_pool(x, (2, 2), strides=(2, 2))
            x = x.reshape((x.shape[0], -1))
            x = nn.Dropout(0.3, deterministic=False)(x, rng=key)
            return nn.Dense(3)(x)

    model = Net()
    x = normal("fcd", 4, 8, 8, 1)
    params = jax.tree.map(np.asarray, model.init({"params": jax.random.key(0)}, x, jax.random.key(1)))

    def step(params, x, labels, seed):
        key = jax.random.wrap_key_data(seed)
        loss, grads = jax.value_and_grad(lambda p: cross_entropy(model.apply(p, x, key), labels))(params)
        return loss, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

    return step, (params, x, whole("fcdy", 4, high=3), np.array([3, 5], np.uint32))


@program
def train_flax_group_norm_gru():
    import flax.linen as nn

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.GroupNorm(num_groups=4)(nn.Dense(16)(x))
            return nn.Dense(2)(nn.RNN(nn.GRUCell(features=12))(x))

    model = Net()
    x = normal("fgg", 3, 7, 5)
    params = jax.tree.map(np.asarray, model.init(jax.random.key(0), x))
    return jax.value_and_grad(lambda p, x, y: jnp.mean(jnp.abs(model.apply(p, x) - y))), (params, x, normal("fggy", 3, 7, 2))


def keras_step(make, shape, classes):
    def build():
        import os

        os.environ["KERAS_BACKEND"] = "jax"
        import keras

        keras.utils.set_random_seed(3)
        model = make(keras)
        model.build((None,) + shape)
        trainable = [np.asarray(v.value) for v in model.trainable_variables]
        rest = [np.asarray(v.value) for v in model.non_trainable_variables]
        lossy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

        def loss(trainable, rest, x, y):
            out, rest = model.stateless_call(trainable, rest, x, training=True)
            return lossy(y, out), rest

        def step(trainable, rest, x, y):
            (value, rest), grads = jax.value_and_grad(loss, has_aux=True)(trainable, rest, x, y)
            return value, [t - 0.05 * g for t, g in zip(trainable, grads)], rest

        return step, (trainable, rest, normal("keras", 4, *shape), whole("kerasy", 4, high=classes))

    return build


program(name="train_keras_separable_cnn")(keras_step(lambda k: k.Sequential([
    k.layers.SeparableConv2D(8, 3, padding="same"), k.layers.BatchNormalization(), k.layers.ReLU(), k.layers.MaxPooling2D(2),
    k.layers.GlobalAveragePooling2D(), k.layers.Dense(3)]), (10, 10, 3), 3))
program(name="train_keras_lstm")(keras_step(lambda k: k.Sequential([
    k.layers.Bidirectional(k.layers.LSTM(6)), k.layers.LayerNormalization(), k.layers.Dense(4)]), (9, 5), 4))
program(name="train_keras_conv1d_prelu")(keras_step(lambda k: k.Sequential([
    k.layers.Conv1D(8, 5, strides=2, padding="causal"), k.layers.PReLU(), k.layers.UnitNormalization(),
    k.layers.Flatten(), k.layers.Dense(3)]), (16, 2), 3))
program(name="train_keras_depthwise_elu")(keras_step(lambda k: k.Sequential([
    k.layers.DepthwiseConv2D(3, depth_multiplier=2), k.layers.ELU(), k.layers.AveragePooling2D(2), k.layers.Flatten(),
    k.layers.Dense(5)]), (9, 9, 3), 5))


@program
def train_gan_two_players():
    g, d = layers("gang", 4, 16, 2), layers("gand", 2, 16, 1)

    def losses(g, d, z, real):
        fake = mlp(g, z, jnp.tanh)
        softplus = jax.nn.softplus
        d_loss = jnp.mean(softplus(-mlp(d, real))) + jnp.mean(softplus(mlp(d, lax.stop_gradient(fake))))
        return d_loss, jnp.mean(softplus(-mlp(d, fake)))

    def step(g, d, z, real):
        grad_d = jax.grad(lambda d: losses(g, d, z, real)[0])(d)
        grad_g = jax.grad(lambda g: losses(g, d, z, real)[1])(g)
        move = lambda p, q: p - 0.1 * q
        return jax.tree.map(move, g, grad_g), jax.tree.map(move, d, grad_d), losses(g, d, z, real)

    return step, (g, d, normal("ganz", 8, 4), normal("ganr", 8, 2))


@program
def train_gradient_accumulation_and_clipping():
    params = layers("acc", 5, 9, 2)

    def step(params, xs, ys):
        def one(total, batch):
            grads = jax.grad(lambda p: jnp.mean((mlp(p, batch[0]) - batch[1]) ** 2))(params)
            return jax.tree.map(jnp.add, total, grads), None

        total, _ = lax.scan(one, jax.tree.map(jnp.zeros_like, params), (xs, ys))
        norm = optax.global_norm(total)
        return jax.tree.map(lambda p, g: p - 0.1 * g * jnp.minimum(1.0, 1.0 / norm), params, total), norm

    return step, (params, normal("accx", 4, 6, 5), normal("accy", 4, 6, 2))


@program(tolerance=2e-2)  # bf16 sums
def train_mixed_precision_loss_scaling():
    params = layers("mix", 8, 16, 3)

    def step(params, scale, x, y):
        def loss(p):
            half = jax.tree.map(lambda a: a.astype(jnp.bfloat16), p)
            out = mlp(half, x.astype(jnp.bfloat16)).astype(jnp.float32)
            return jnp.mean((out - y) ** 2) * scale

        grads = jax.tree.map(lambda g: g / scale, jax.grad(loss)(params))
        finite = jnp.all(jnp.stack([jnp.all(jnp.isfinite(g)) for g in jax.tree.leaves(grads)]))
        params = lax.cond(finite, lambda: jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), lambda: params)
        return params, jnp.where(finite, scale * 2, scale / 2)

    return step, (params, np.float32(64), normal("mixx", 8, 8), normal("mixy", 8, 3))


@program
def train_maml_inner_gradient():
    params = layers("maml", 1, 12, 1)

    def outer(params, x1, y1, x2, y2):
        def loss(p, x, y):
            return jnp.mean((mlp(p, x, jnp.tanh) - y) ** 2)

        fast = jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params, x1, y1))
        return loss(fast, x2, y2)

    args = [normal("maml%d" % at, 5, 1) for at in range(4)]
    return jax.value_and_grad(outer), (params, *args)


@program
def train_hessian_vector_product():
    params = layers("hvp", 4, 6, 1)

    def hvp(params, tangent, x):
        return jax.jvp(jax.grad(lambda p: jnp.sum(jnp.sin(mlp(p, x, jnp.tanh)))), (params,), (tangent,))

    return hvp, (params, jax.tree.map(lambda p: np.cos(3 * p), params), normal("hvpx", 5, 4))


@program
def train_logistic_newton_step():
    def newton(w, x, y):
        loss = lambda w: jnp.mean(jax.nn.softplus(x @ w) - y * (x @ w)) + 0.01 * w @ w
        return w - jnp.linalg.solve(jax.hessian(loss)(w), jax.grad(loss)(w)), loss(w)

    return newton, (normal("lnw", 6), normal("lnx", 20, 6), whole("lny", 20, high=2).astype(np.float32))


@program
def train_policy_gradient():
    params = layers("pg", 4, 16, 3)

    def step(params, states, actions, rewards):
        def returns(rewards):
            return lax.scan(lambda g, r: (r + 0.9 * g,) * 2, 0.0, rewards, reverse=True)[1]

        g = jax.vmap(returns)(rewards)
        g = (g - g.mean()) / (g.std() + 1e-6)

        def loss(p):
            logp = jax.nn.log_softmax(mlp(p, states))
            chosen = jnp.take_along_axis(logp, actions[..., None], -1)[..., 0]
            entropy = -jnp.sum(jnp.exp(logp) * logp, -1)
            return -jnp.mean(chosen * g) - 0.01 * entropy.mean()

        return jax.value_and_grad(loss)(params)

    return step, (params, normal("pgs", 5, 7, 4), whole("pga", 5, 7, high=3), normal("pgr", 5, 7))


@program
def train_contrastive_pairs():
    a, b = dense("cpa", 10, 8), dense("cpb", 12, 8)

    def loss(a, b, x, y):
        u, v = x @ a["w"] + a["b"], y @ b["w"] + b["b"]
        u, v = u / jnp.linalg.norm(u, axis=1, keepdims=True), v / jnp.linalg.norm(v, axis=1, keepdims=True)
        logits = u @ v.T / 0.1
        labels = jnp.arange(x.shape[0])
        return (cross_entropy(logits, labels) + cross_entropy(logits.T, labels)) / 2

    return jax.value_and_grad(loss, (0, 1)), (a, b, normal("cpx", 9, 10), normal("cpy", 9, 12))


@program
def train_embedding_bag_sparse_gradient():
    def step(table, ids, weights, y):
        loss = lambda t: jnp.mean((jnp.sum(t[ids] * weights[..., None], 1) - y) ** 2)
        value, grad = jax.value_and_grad(loss)(table)
        return value, table.at[ids.reshape(-1)].add(-0.1 * grad[ids.reshape(-1)])

    return step, (normal("ebt", 50, 6), whole("ebi", 8, 4, high=50), uniform("ebw", 8, 4), normal("eby", 8, 6))


@program
def train_spectral_norm_power_iteration():
    def step(w, u, x):
        def norm(w):
            v = u
            for _ in range(3):
                z = w.T @ v
                z = z / jnp.linalg.norm(z)
                v = w @ z
                v = v / jnp.linalg.norm(v)
            return v @ w @ z

        return jax.value_and_grad(lambda w: jnp.sum(jnp.tanh(x @ (w / norm(w)))))(w)

    return step, (normal("snw", 7, 5), normal("snu", 7), normal("snx", 4, 7))


@program
def train_vae_reparametrised():
    params = {"e": layers("vaee", 12, 16, 8), "d": layers("vaed", 4, 16, 12)}

    def loss(params, x, seed):
        mu, logvar = jnp.split(mlp(params["e"], x), 2, axis=-1)
        noise = jax.random.normal(jax.random.wrap_key_data(seed), mu.shape)
        out = mlp(params["d"], mu + jnp.exp(logvar / 2) * noise)
        kl = -0.5 * jnp.mean(jnp.sum(1 + logvar - mu**2 - jnp.exp(logvar), -1))
        return optax.sigmoid_binary_cross_entropy(out, x).sum(-1).mean() + kl

    return jax.value_and_grad(loss), (params, uniform("vaex", 5, 12), np.array([9, 2], np.uint32))


@program
def train_ctc_loss():
    def loss(logits, pads, labels, label_pads):
        return optax.ctc_loss(logits, pads, labels, label_pads).mean()

    return jax.value_and_grad(loss), (
        normal("ctc", 2, 12, 6), np.zeros((2, 12), np.float32), whole("ctcl", 2, 4, low=1, high=6), np.zeros((2, 4), np.float32))


@program
def train_knowledge_distillation_ema():
    s, t = layers("kds", 6, 12, 4), layers("kdt", 6, 12, 4)

    def step(s, t, x):
        soft = jax.nn.softmax(mlp(t, x) / 2)
        grads = jax.grad(lambda s: -jnp.mean(jnp.sum(soft * jax.nn.log_softmax(mlp(s, x) / 2), -1)))(s)
        s = jax.tree.map(lambda p, g: p - 0.2 * g, s, grads)
        return s, optax.incremental_update(s, t, 0.1)

    return step, (s, t, normal("kdx", 7, 6))


@program
def train_checkpointed_scan_of_layers():
    """Gradient through twelve equal layers in a scan, each computed again on the way back."""
    w = normal("ckw", 12, 8, 8, scale=0.3)

    def loss(w, x):
        body = jax.checkpoint(lambda h, w: (jnp.tanh(h @ w), None))
        return jnp.sum(lax.scan(body, x, w)[0] ** 2)

    return jax.value_and_grad(loss), (w, normal("ckx", 5, 8))
