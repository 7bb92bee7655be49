"""Factorisations, solvers and contractions. Results that are unique up to sign or order are brought to one form first."""

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jla
import numpy as np
from jax import lax

from registry import normal, program, uniform, whole


def spd(seed, *shape):
    a = normal(seed, *shape)
    return a @ np.swapaxes(a, -1, -2) + shape[-1] * np.eye(shape[-1], dtype=np.float32)


@program
def cholesky_batched_and_upper():
    return (lambda a: (jnp.linalg.cholesky(a), jla.cholesky(a[0], lower=False))), (spd("ch", 3, 7, 7),)


@program
def cholesky_gradient_log_determinant():
    return jax.value_and_grad(lambda a: jnp.sum(jnp.log(jnp.diagonal(jnp.linalg.cholesky(a))))), (spd("cg2", 6, 6),)


for side in ("left", "right"):
    for lower in (True, False):
        for transpose in (True, False):
            def build(side=side, lower=lower, transpose=transpose):
                b = normal("tsb", 2, 5, 3) if side == "left" else normal("tsb", 2, 3, 5)
                solve = lambda a, b: lax.linalg.triangular_solve(a, b, left_side=side == "left", lower=lower, transpose_a=transpose, unit_diagonal=lower and transpose)
                return solve, (normal("tsa", 2, 5, 5, scale=0.3) + 2 * np.eye(5, dtype=np.float32), b)

            program(name="triangular_solve_%s_%s_%s" % (side, "lower" if lower else "upper", "t" if transpose else "n"))(build)


@program
def solve_and_inverse_batched():
    return (lambda a, b: (jnp.linalg.solve(a, b), jnp.linalg.inv(a))), (spd("sib", 2, 6, 6), normal("sibb", 2, 6, 3))


@program
def lu_factors_with_pivots():
    return (lambda a: jla.lu_factor(a)), (normal("lu", 8, 8),)


@program
def lu_permuted_rectangular():
    return (lambda a: jla.lu(a)), (normal("lur", 5, 8),)


@program
def determinant_slogdet_gradient():
    return (lambda a: (jnp.linalg.det(a), jnp.linalg.slogdet(a), jax.grad(lambda a: jnp.linalg.det(a))(a))), (normal("det", 5, 5),)


@program(tolerance=1e-3)
def qr_signs_fixed():
    def run(a):
        q, r = jnp.linalg.qr(a)
        s = jnp.where(jnp.diag(r) < 0, -1.0, 1.0)
        return q * s, r * s[:, None], q.T @ q

    return run, (normal("qr", 9, 5),)


@program(tolerance=1e-3)
def eigh_values_and_projector():
    def run(a):
        w, v = jnp.linalg.eigh(a)
        return w, (v * w) @ v.T, v[:, -2:] @ v[:, -2:].T

    return run, (spd("eigh", 8, 8),)


@program(tolerance=1e-3)
def svd_values_and_reconstruction():
    def run(a):
        u, s, vt = jnp.linalg.svd(a, full_matrices=False)
        return s, (u * s) @ vt, jnp.linalg.norm(a, 2), jnp.linalg.matrix_rank(a)

    return run, (normal("svd", 7, 5),)


@program(tolerance=1e-3)
def pseudo_inverse_and_least_squares():
    return (lambda a, b: (jnp.linalg.pinv(a), jnp.linalg.lstsq(a, b)[0])), (normal("pil", 9, 4), normal("pilb", 9))


@program
def power_iteration_deflation():
    def run(a, x):
        def top(a):
            v = lax.fori_loop(0, 50, lambda _, v: (a @ v) / jnp.linalg.norm(a @ v), x / jnp.linalg.norm(x))
            return v @ a @ v, v

        l1, v1 = top(a)
        return l1, top(a - l1 * jnp.outer(v1, v1))[0]

    q = np.linalg.qr(normal("pid", 6, 6).astype(np.float64))[0]
    return run, ((q * [9.0, 5, 2, 1, 0.5, 0.1] @ q.T).astype(np.float32), normal("pidx", 6))


@program
def matrix_exponential_and_power():
    return (lambda a: (jla.expm(a), jnp.linalg.matrix_power(a, 5), jla.expm(-a))), (normal("me", 5, 5, scale=0.4),)


@program
def householder_by_hand():
    def run(a):
        n = a.shape[1]

        def body(k, a):
            rows = jnp.arange(a.shape[0])
            x = jnp.where(rows >= k, a[:, k], 0.0)
            v = x.at[k].add(jnp.where(x[k] >= 0, 1.0, -1.0) * jnp.linalg.norm(x))
            v = v / jnp.linalg.norm(v)
            return a - 2 * jnp.outer(v, v @ a)

        return lax.fori_loop(0, n, body, a)

    return run, (normal("hh", 7, 4),)


@program
def gram_schmidt_scan():
    def run(a):
        def step(q, k):
            v = a[:, k] - q @ (q.T @ a[:, k])
            return q.at[:, k].set(v / jnp.linalg.norm(v)), None

        return lax.scan(step, jnp.zeros_like(a), jnp.arange(a.shape[1]))[0]

    return run, (normal("gs", 8, 5),)


@program
def tridiagonal_thomas_solver():
    def run(dl, d, du, b):
        return lax.linalg.tridiagonal_solve(dl, d, du, b[:, None])[:, 0]

    dl, du = normal("tdl", 12), normal("tdu", 12)
    dl[0] = du[-1] = 0
    return run, (dl, 4 + uniform("td", 12), du, normal("tdb", 12))


@program
def toeplitz_vander_block_diagonal():
    return (lambda c, r: (jla.toeplitz(c, r), jnp.vander(c, 4), jla.block_diag(jnp.outer(c, c), r[None]), jnp.kron(c[None], jnp.eye(2)))), (normal("tvc", 5), normal("tvr", 5))


@program
def einsum_collection():
    def run(a, b, c):
        return (jnp.einsum("bij,bjk->bik", a, b), jnp.einsum("bij,bij->b", a, a), jnp.einsum("bij,bjk,bkl->il", a, b, c), jnp.einsum("bii->bi", c),
                jnp.einsum("...ij->...ji", a), jnp.einsum("bij,ckl->bcjk", a, b[:, :, :2]))

    return run, (normal("ea", 3, 4, 5), normal("eb", 3, 5, 6), normal("ec", 3, 6, 6))


@program
def tensor_network_contraction():
    return (lambda *t: jnp.einsum("ab,bcd,def,fga->ceg", *t)), (normal("tn1", 3, 4), normal("tn2", 4, 5, 3), normal("tn3", 3, 2, 6), normal("tn4", 6, 3, 3))


@program(tolerance=3e-2)
def bf16_matmul_f32_accumulate():
    import ml_dtypes

    return (lambda a, b: (lax.dot(a, b, preferred_element_type=jnp.float32), a @ b)), (
        normal("bma", 17, 33).astype(ml_dtypes.bfloat16), normal("bmb", 33, 9).astype(ml_dtypes.bfloat16))


@program
def int8_matmul_int32():
    return (lambda a, b: lax.dot_general(a, b, (((1,), (1,)), ((), ())), preferred_element_type=jnp.int32)), (
        whole("ima", 13, 40, low=-128, high=128).astype(np.int8), whole("imb", 9, 40, low=-128, high=128).astype(np.int8))


@program(x64=True)
def double_precision_solve():
    a = normal("dps", 9, 9, dtype=np.float64)
    return (lambda a, b: (jnp.linalg.solve(a, b), jnp.linalg.cholesky(a @ a.T))), (a + 9 * np.eye(9), normal("dpsb", 9, dtype=np.float64))


@program
def procrustes_alignment_by_polar_newton():
    def run(a, b):
        m = a.T @ b
        return lax.fori_loop(0, 12, lambda _, x: 0.5 * (x + jnp.linalg.inv(x).T), m)

    return run, (normal("pra", 10, 3), normal("prb", 10, 3))


@program
def principal_components_power():
    def run(x):
        x = x - x.mean(0)
        c = x.T @ x / x.shape[0]
        w, v = jnp.linalg.eigh(c)
        return w[::-1], jnp.abs(x @ v[:, ::-1][:, :2])

    return run, (normal("pca", 40, 4) * np.array([5, 2, 1, 0.2], np.float32),)


@program
def ridge_regression_leave_one_out():
    def run(x, y):
        h = x @ jnp.linalg.solve(x.T @ x + 0.5 * jnp.eye(5), x.T)
        return jnp.mean(((y - h @ y) / (1 - jnp.diag(h))) ** 2)

    return run, (normal("rrx", 20, 5), normal("rry", 20))


@program(tolerance=1e-3)
def schur_real_gives_the_matrix_back():
    def run(a):
        t, z = jla.schur(a)
        below = jnp.tril(t, -2)
        return z @ t @ z.T, z @ z.T, below, jnp.trace(t)

    return run, (normal("schur", 7, 7),)


@program(tolerance=1e-3)
def square_root_of_a_matrix():
    def run(a):
        root = jla.sqrtm(a)
        return jnp.real(root @ root), jnp.real(root)

    return run, (spd("sqrtm", 6, 6),)
