"""Random numbers: the generators' bits, and distributions made of them."""

import jax
import jax.numpy as jnp
import numpy as np

from registry import normal, program, uniform

SEED = np.array([5, 17], np.uint32)


def draw(function):
    return lambda: ((lambda seed: function(jax.random.wrap_key_data(seed))), (SEED,))


DISTRIBUTIONS = {
    "bits": lambda k: (jax.random.bits(k, (7, 5)), jax.random.bits(k, (9,), jnp.uint8), jax.random.bits(k, (3,), jnp.uint16)),
    "uniform": lambda k: (jax.random.uniform(k, (11, 3)), jax.random.uniform(k, (5,), jnp.bfloat16), jax.random.uniform(k, (4,), jnp.float16)),
    "normal": lambda k: jax.random.normal(k, (13, 4)),
    "integers": lambda k: (jax.random.randint(k, (20,), -3, 17), jax.random.randint(k, (6,), 0, 200, jnp.uint8)),
    "bernoulli_rademacher": lambda k: (jax.random.bernoulli(k, 0.3, (30,)), jax.random.rademacher(k, (9,))),
    "exponential_laplace_logistic": lambda k: (jax.random.exponential(k, (9,)), jax.random.laplace(k, (9,)), jax.random.logistic(k, (9,))),
    "gumbel_cauchy_pareto": lambda k: (jax.random.gumbel(k, (9,)), jax.random.cauchy(k, (5,)), jax.random.pareto(k, 2.0, (9,))),
    "gamma": lambda k: jax.random.gamma(k, jnp.array([0.4, 1.0, 3.5]), (4, 3)),
    "beta_dirichlet": lambda k: (jax.random.beta(k, 2.0, 0.7, (6,)), jax.random.dirichlet(k, jnp.array([0.5, 1.0, 2.0]), (3,))),
    "poisson": lambda k: jax.random.poisson(k, jnp.array([0.5, 4.0, 20.0]), (5, 3)),
    "categorical_choice": lambda k: (jax.random.categorical(k, jnp.log(jnp.arange(1.0, 7)), shape=(12,)), jax.random.choice(k, 10, (4,), replace=False)),
    "permutation_shuffle": lambda k: (jax.random.permutation(k, 23), jax.random.permutation(k, jnp.arange(12).reshape(4, 3), axis=1)),
    "truncated_and_multivariate": lambda k: (jax.random.truncated_normal(k, -1, 2, (9,)), jax.random.multivariate_normal(k, jnp.zeros(3), jnp.eye(3) + 0.5, (4,))),
    "split_fold_in": lambda k: (jax.random.key_data(jax.random.split(k, 5)), jax.random.key_data(jax.random.fold_in(k, 9))),
    "student_chi_square": lambda k: (jax.random.t(k, 4.0, (5,)), jax.random.chisquare(k, 3.0, shape=(5,))),
    "orthogonal_ball": lambda k: jnp.abs(jnp.linalg.det(jax.random.orthogonal(k, 4))),
    "binomial_geometric": lambda k: (jax.random.binomial(k, 10, 0.3, (6,)), jax.random.geometric(k, 0.2, (6,))),
}
for kind, function in DISTRIBUTIONS.items():
    program(name="random_" + kind)(draw(function))


@program
def random_philox_generator():
    def run(seed):
        key = jax.random.wrap_key_data(jnp.concatenate([seed, seed + 1]), impl="rbg")
        return jax.random.uniform(key, (17,)), jax.random.normal(jax.random.split(key)[1], (5,))

    return run, (SEED,)


@program
def random_initialisers():
    def run(seed):
        k = jax.random.wrap_key_data(seed)
        init = jax.nn.initializers
        return init.glorot_uniform()(k, (6, 5)), init.he_normal()(k, (6, 5)), init.lecun_normal()(k, (3, 3, 2, 4)), init.truncated_normal(0.02)(k, (7,))

    return run, (SEED,)


@program
def dropout_stochastic_depth_noise():
    def run(x, seed):
        a, b, c = jax.random.split(jax.random.wrap_key_data(seed), 3)
        x = jnp.where(jax.random.bernoulli(a, 0.8, x.shape), x / 0.8, 0)
        x = x * jax.random.bernoulli(b, 0.5, (x.shape[0], 1, 1))
        return x + 0.1 * jax.random.normal(c, x.shape)

    return run, (normal("dsn", 6, 4, 5), SEED)


@program
def diffusion_sampler_ddpm():
    def run(x, w, seed):
        beta = jnp.linspace(1e-3, 0.2, 10)
        bar = jnp.cumprod(1 - beta)

        def step(x, t):
            i, key = t
            noise = jnp.tanh(x @ w + i / 10)
            mean = (x - beta[i] / jnp.sqrt(1 - bar[i]) * noise) / jnp.sqrt(1 - beta[i])
            return mean + jnp.where(i > 0, jnp.sqrt(beta[i]), 0.0) * jax.random.normal(key, x.shape), None

        keys = jax.random.split(jax.random.wrap_key_data(seed), 10)
        return jax.lax.scan(step, x, (jnp.arange(9, -1, -1), keys))[0]

    return run, (normal("ddx", 4, 6), normal("ddw", 6, 6, scale=0.3), SEED)
