"""Differential equations, optimisation and physics: solvers as users write them, with loops that stop on a condition."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from registry import dense, normal, program, uniform


@program
def ode_euler_pendulum():
    def run(y, dt):
        step = lambda y, _: ((y + dt * jnp.stack([y[1], -jnp.sin(y[0])]),) * 2)
        return lax.scan(step, y, None, length=25)[1]

    return run, (np.array([1.0, 0.0], np.float32), np.float32(0.05))


@program
def ode_runge_kutta_lotka_volterra():
    def f(y, p):
        return jnp.stack([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])

    def run(y, p):
        def step(y, _):
            h = 0.1
            a = f(y, p)
            b = f(y + h / 2 * a, p)
            c = f(y + h / 2 * b, p)
            d = f(y + h * c, p)
            y = y + h / 6 * (a + 2 * b + 2 * c + d)
            return y, y

        return lax.scan(step, y, None, length=20)[1]

    return run, (np.array([1.0, 0.5], np.float32), np.array([1.1, 0.4, 0.1, 0.4], np.float32))


@program
def ode_adaptive_dormand_prince_odeint():
    from jax.experimental.ode import odeint

    return (lambda y, t: odeint(lambda y, t: jnp.stack([y[1], (1 - y[0] ** 2) * y[1] - y[0]]), y, t)), (
        np.array([2.0, 0.0], np.float32), np.linspace(0, 2, 6).astype(np.float32))


@program
def ode_gradient_through_solver():
    def loss(p, y):
        step = lambda y, _: (y + 0.1 * jnp.tanh(p["w"] @ y + p["b"]), None)
        return jnp.sum(lax.scan(step, y, None, length=12)[0] ** 2)

    return jax.value_and_grad(loss), (dense("ogs", 4, 4), normal("ogsy", 4))


@program
def ode_implicit_newton():
    def run(y):
        f = lambda y: jnp.stack([-50 * y[0] + y[1], y[0] - 2 * y[1] ** 3])

        def step(y, _):
            def newton(_, z):
                g = lambda z: z - y - 0.1 * f(z)
                return z - jnp.linalg.solve(jax.jacfwd(g)(z), g(z))

            y = lax.fori_loop(0, 4, newton, y)
            return y, y

        return lax.scan(step, y, None, length=6)[1]

    return run, (np.array([1.0, 0.5], np.float32),)


@program
def ode_leapfrog_n_bodies():
    def run(x, v, m):
        def force(x):
            d = x[None] - x[:, None]
            r = jnp.sum(d**2, -1) + 0.1
            return jnp.sum(m[None, :, None] * d * (r**-1.5)[..., None], 1)

        def step(s, _):
            x, v = s
            v = v + 0.01 * force(x)
            x = x + 0.02 * v
            return (x, v + 0.01 * force(x)), 0.5 * jnp.sum(m * jnp.sum(v**2, 1))

        return lax.scan(step, (x, v), None, length=10)

    return run, (normal("nbx", 7, 3), normal("nbv", 7, 3, scale=0.1), uniform("nbm", 7, low=0.5))


@program
def sde_euler_maruyama():
    def run(y, seed):
        def step(carry, key):
            y = carry + 0.05 * (1 - carry) + 0.2 * jax.random.normal(key, carry.shape)
            return y, y.mean()

        return lax.scan(step, y, jax.random.split(jax.random.wrap_key_data(seed), 15))

    return run, (normal("sde", 9), np.array([3, 1], np.uint32))


@program
def pde_heat_explicit():
    def run(u):
        step = lambda _, u: u + 0.2 * (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - 4 * u)
        return lax.fori_loop(0, 20, step, u)

    return run, (uniform("heat", 13, 11),)


@program
def pde_wave_with_boundaries():
    def run(u, v):
        def step(s, _):
            u, v = s
            lap = jnp.zeros_like(u).at[1:-1].set(u[2:] - 2 * u[1:-1] + u[:-2])
            v = v + 0.3 * lap
            return (u + 0.3 * v, v), u[5]

        return lax.scan(step, (u, v), None, length=30)

    return run, (normal("wu", 20), np.zeros(20, np.float32))


@program
def pde_burgers_upwind():
    def run(u):
        def step(u, _):
            left, right = u - jnp.roll(u, 1), jnp.roll(u, -1) - u
            return u - 0.1 * jnp.where(u > 0, u * left, u * right), None

        return lax.scan(step, u, None, length=15)[0]

    return run, (np.sin(np.linspace(0, 6.28, 32)).astype(np.float32),)


@program
def pde_lattice_boltzmann():
    c = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
    w = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, np.float32)

    def run(f):
        def step(f, _):
            rho = f.sum(0)
            u = jnp.einsum("qxy,qd->dxy", f, c.astype(np.float32)) / rho
            cu = jnp.einsum("qd,dxy->qxy", c.astype(np.float32), u)
            eq = w[:, None, None] * rho * (1 + 3 * cu + 4.5 * cu**2 - 1.5 * jnp.sum(u**2, 0))
            f = f - 0.6 * (f - eq)
            return jnp.stack([jnp.roll(f[q], tuple(c[q]), (0, 1)) for q in range(9)]), None

        return lax.scan(step, f, None, length=8)[0]

    return run, (w[:, None, None] * (1 + 0.05 * normal("lbm", 9, 8, 7)),)


@program
def pde_multigrid_v_cycle():
    def run(f):
        def smooth(u, f, h):
            for _ in range(2):
                u = u.at[1:-1].set(u[1:-1] + 0.66 * 0.5 * (u[2:] + u[:-2] - 2 * u[1:-1] + h * h * f[1:-1]))
            return u

        def cycle(u, f, h):
            if u.shape[0] <= 5:
                return smooth(smooth(u, f, h), f, h)
            u = smooth(u, f, h)
            r = jnp.zeros_like(u).at[1:-1].set(f[1:-1] + (u[2:] - 2 * u[1:-1] + u[:-2]) / (h * h))
            coarse = jnp.zeros((u.shape[0] + 1) // 2).at[1:-1].set((r[1:-3:2] + 2 * r[2:-2:2] + r[3:-1:2]) / 4)
            e = cycle(jnp.zeros_like(coarse), coarse, 2 * h)
            fine = jnp.zeros_like(u).at[::2].set(e).at[1::2].set((e[1:] + e[:-1]) / 2)
            return smooth(u + fine, f, h)

        u = jnp.zeros_like(f)
        for _ in range(3):
            u = cycle(u, f, 1 / 32)
        return u

    return run, (normal("mg", 33),)


@program
def conjugate_gradient_while():
    def run(a, b):
        def cond(s):
            return (jnp.dot(s[1], s[1]) > 1e-8) & (s[3] < 30)

        def body(s):
            x, r, p, n = s
            ap = a @ p
            alpha = r @ r / (p @ ap)
            new = r - alpha * ap
            return x + alpha * p, new, new + (new @ new) / (r @ r) * p, n + 1

        return lax.while_loop(cond, body, (jnp.zeros_like(b), b, b, 0))[0]

    m = normal("cgm", 8, 8)
    return run, (m @ m.T + 8 * np.eye(8, dtype=np.float32), normal("cgb", 8))


@program
def sparse_solvers_cg_bicgstab_gmres():
    import jax.scipy.sparse.linalg as sparse

    m = normal("ssm", 7, 7)
    return (lambda a, b: (sparse.cg(a, b, maxiter=20)[0], sparse.bicgstab(a, b, maxiter=20)[0])), (m @ m.T + 7 * np.eye(7, dtype=np.float32), normal("ssb2", 7))


@program(tolerance=2e-3)  # the line search stops by comparisons of rounded sums
def bfgs_rosenbrock():
    def run(x):
        f = lambda x: jnp.sum(5 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
        def step(x, _):
            g, h = jax.grad(f)(x), jax.hessian(f)(x)
            return x - jnp.linalg.solve(h + 2.0 * jnp.eye(3), g), f(x)
        return lax.scan(step, x, None, length=8)

    return run, (np.array([-0.5, 0.8, 0.3], np.float32),)


@program
def bisection_and_newton_roots():
    def run(a):
        def halve(_, s):
            low, high = s
            mid = (low + high) / 2
            up = mid**3 + mid - a > 0
            return jnp.where(up, low, mid), jnp.where(up, mid, high)

        low, high = lax.fori_loop(0, 30, halve, (jnp.zeros_like(a) - 5, jnp.zeros_like(a) + 5))
        newton = lax.while_loop(lambda s: (jnp.max(jnp.abs(s[0] ** 3 + s[0] - a)) > 1e-5) & (s[1] < 20),
                                lambda s: (s[0] - (s[0] ** 3 + s[0] - a) / (3 * s[0] ** 2 + 1), s[1] + 1), (jnp.ones_like(a), 0))[0]
        return (low + high) / 2, newton

    return run, (normal("bnr", 9, scale=4.0),)


@program
def sinkhorn_optimal_transport():
    def run(x, y):
        c = jnp.sum((x[:, None] - y) ** 2, -1)
        f = g = jnp.zeros(6)

        def body(_, s):
            f, g = s
            f = -0.5 * jax.nn.logsumexp((g[None] - c) / 0.5, axis=1)
            return f, -0.5 * jax.nn.logsumexp((f[:, None] - c) / 0.5, axis=0)

        f, g = lax.fori_loop(0, 20, body, (f, g))
        return jnp.exp((f[:, None] + g - c) / 0.5)

    return run, (normal("skx", 6, 2), normal("sky", 6, 2))


@program
def monte_carlo_pi_and_integral():
    def run(seed):
        a, b = jax.random.split(jax.random.wrap_key_data(seed))
        p = jax.random.uniform(a, (500, 2))
        return jnp.sum(jnp.sum(p**2, 1) < 1), jnp.mean(jnp.exp(-jax.random.uniform(b, (300,)) ** 2))

    return run, (np.array([11, 5], np.uint32),)


@program
def metropolis_hastings_chain():
    def run(x, seed):
        def step(x, key):
            a, b = jax.random.split(key)
            y = x + 0.5 * jax.random.normal(a, x.shape)
            go = jnp.log(jax.random.uniform(b)) < 0.5 * (x @ x - y @ y)
            x = jnp.where(go, y, x)
            return x, x

        return lax.scan(step, x, jax.random.split(jax.random.wrap_key_data(seed), 20))[1]

    return run, (normal("mh", 3), np.array([2, 9], np.uint32))


@program
def hamiltonian_monte_carlo_step():
    def run(q, p):
        u = lambda q: jnp.sum(q**4) / 4 + jnp.sum(q[1:] * q[:-1])

        def leap(s, _):
            q, p = s
            p = p - 0.05 * jax.grad(u)(q)
            q = q + 0.1 * p
            return (q, p - 0.05 * jax.grad(u)(q)), None

        (q2, p2), _ = lax.scan(leap, (q, p), None, length=10)
        return q2, p2, u(q) + p @ p / 2 - u(q2) - p2 @ p2 / 2

    return run, (normal("hmq", 5, scale=0.5), normal("hmp", 5, scale=0.5))


@program
def gaussian_process_posterior():
    def run(x, y, z):
        k = lambda a, b: jnp.exp(-0.5 * jnp.sum((a[:, None] - b) ** 2, -1))
        l = jnp.linalg.cholesky(k(x, x) + 0.1 * jnp.eye(9))
        alpha = jax.scipy.linalg.cho_solve((l, True), y)
        v = jax.scipy.linalg.solve_triangular(l, k(x, z), lower=True)
        return k(z, x) @ alpha, k(z, z) - v.T @ v, -0.5 * y @ alpha - jnp.sum(jnp.log(jnp.diag(l)))

    return run, (normal("gpx", 9, 2), normal("gpy", 9), normal("gpz", 4, 2))


@program
def expectation_maximisation_mixture():
    def run(x, mu):
        def step(s, _):
            mu, var, pi = s
            logp = -0.5 * jnp.sum((x[:, None] - mu) ** 2 / var + jnp.log(var), -1) + jnp.log(pi)
            r = jax.nn.softmax(logp, 1)
            n = r.sum(0)
            mu = r.T @ x / n[:, None]
            var = jnp.einsum("nk,nkd->kd", r, (x[:, None] - mu) ** 2) / n[:, None] + 1e-2
            return (mu, var, n / n.sum()), jnp.sum(jax.nn.logsumexp(logp, 1))

        return lax.scan(step, (mu, jnp.ones((3, 2)), jnp.ones(3) / 3), None, length=6)

    x = normal("em", 30, 2)
    return run, (x, x[:3])


@program
def value_iteration_grid_world():
    def run(reward, p):
        def body(s):
            v, _, n = s
            q = reward + 0.9 * jnp.einsum("ast,t->sa", p, v)
            new = q.max(1)
            return new, jnp.max(jnp.abs(new - v)), n + 1

        return lax.while_loop(lambda s: (s[1] > 1e-3) & (s[2] < 60), body, (jnp.zeros(6), jnp.float32(1), 0))[0]

    p = uniform("vip", 3, 6, 6)
    return run, (normal("vir", 6, 3), p / p.sum(-1, keepdims=True))


@program
def molecular_lennard_jones_forces():
    def run(x):
        def energy(x):
            d = x[:, None] - x
            r2 = jnp.sum(d**2, -1) + jnp.eye(x.shape[0])
            s6 = 1 / r2**3
            return 2 * jnp.sum((s6 * s6 - s6) * (1 - jnp.eye(x.shape[0])))

        return jax.value_and_grad(energy)(x)

    g = np.stack(np.meshgrid(*[np.arange(2.0)] * 3), -1).reshape(-1, 3) * 1.3
    return run, (g.astype(np.float32) + normal("lj", 8, 3, scale=0.03),)


@program
def ising_checkerboard_updates():
    def run(s, seed):
        mask = (jnp.indices(s.shape).sum(0) % 2).astype(bool)

        def half(s, key, m):
            field = sum(jnp.roll(s, d, a) for d in (1, -1) for a in (0, 1))
            flip = jax.random.uniform(key, s.shape) < jnp.exp(-0.8 * s * field)
            return jnp.where(m & flip, -s, s)

        def sweep(s, key):
            a, b = jax.random.split(key)
            s = half(half(s, a, mask), b, ~mask)
            return s, s.mean()

        return lax.scan(sweep, s, jax.random.split(jax.random.wrap_key_data(seed), 5))

    return run, (np.sign(normal("isi", 8, 8)), np.array([6, 6], np.uint32))


@program(x64=True)
def double_precision_orbit():
    def run(s):
        def step(s, _):
            x, v = s[:2], s[2:]
            a = -x / jnp.sum(x**2) ** 1.5
            return jnp.concatenate([x + 0.01 * v, v + 0.01 * a]), jnp.sum(v**2) / 2 - 1 / jnp.sqrt(jnp.sum(x**2))

        return lax.scan(step, s, None, length=100)

    return run, (np.array([1.0, 0, 0, 1.1]),)


@program
def jacobians_and_vmapped_derivatives():
    def run(x):
        f = lambda x: jnp.stack([jnp.sin(x[0]) * x[1], x[2] ** 3 / x[0], jnp.exp(x[1] * x[2])])
        return jax.jacrev(f)(x[0]), jax.vmap(jax.jacfwd(f))(x), jax.vmap(jax.hessian(lambda x: f(x).sum()))(x)

    return run, (uniform("jac", 5, 3, low=0.5, high=1.5),)


@program
def custom_derivative_and_implicit_fixed_point():
    @jax.custom_vjp
    def clip_gradient(x):
        return x

    clip_gradient.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -0.5, 0.5),))

    def loss(w, x):
        z = lax.while_loop(lambda s: s[1] < 25, lambda s: (jnp.tanh(w @ s[0] + x), s[1] + 1), (jnp.zeros(4), 0))[0]
        z = lax.stop_gradient(z)
        return jnp.sum(clip_gradient(jnp.tanh(w @ z + x)) ** 2)

    return jax.value_and_grad(loss), (normal("ifw", 4, 4, scale=0.3), normal("ifx", 4))
