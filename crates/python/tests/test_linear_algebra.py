"""Factorisations, equations and determinants of PyTorch, and their gradients, against PyTorch's own."""

import pytest

import fornax

torch = pytest.importorskip("torch")
from test_aten import check, gradients, some  # noqa: E402  PyTorch is wanted first

linalg = torch.linalg


def positive(*shape):
    a = some(*shape).double()
    return (a @ a.mT + torch.eye(shape[-1])).float()


def compiled(function, *arguments):
    class Program(torch.nn.Module):
        def forward(self, *given):
            return function(*given)

    return fornax.compile(Program(), *arguments, device="cpu")(*arguments)


def near(found, wanted):
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)


def test_cholesky():
    a, b = positive(2, 5, 5), some(2, 5, 3)
    factor = linalg.cholesky(a)
    check(
        lambda a, b, l: (
            *linalg.cholesky_ex(a), *linalg.cholesky_ex(a, upper=True), torch.cholesky_solve(b, l),
            torch.cholesky_solve(b, l.mH, upper=True), torch.cholesky_inverse(l), torch.cholesky_inverse(l.mH, True),
        ),
        a, b, factor,
    )
    info = compiled(lambda a: linalg.cholesky_ex(a)[1], torch.stack([torch.eye(3), -torch.eye(3)]))
    assert info.tolist() == [0, 1]
    c = torch.complex(some(4, 4), some(5, 4)[:4])
    c = c @ c.mH + torch.eye(4)
    check(lambda c: (linalg.cholesky_ex(c)[0], linalg.cholesky_ex(c, upper=True)[0]), c)


@pytest.mark.parametrize("rows, columns", [(4, 4), (6, 3), (3, 6), (1, 1)])
def test_lu(rows, columns):
    a = some(2, rows, columns)
    check(lambda a: (*torch.ops.aten.linalg_lu_factor_ex(a), *torch.ops.aten.linalg_lu(a)), a)
    check(lambda a: torch.lu_unpack(*torch.ops.aten.linalg_lu_factor_ex(a)[:2]), a)


def test_equations():
    a, b, c = some(3, 4, 4) + 3 * torch.eye(4), some(3, 4, 2), some(3, 3, 4)
    check(
        lambda a, b, c: (
            torch.ops.aten._linalg_solve_ex(a, b)[0], torch.ops.aten._linalg_solve_ex(a, c, left=False)[0],
            torch.ops.aten._linalg_solve_ex(a, c[0])[0], torch.ops.aten._linalg_solve_ex(a[:1], b)[0],
            torch.ops.aten._linalg_solve_ex(a[0], c[0].mT)[0],
            *linalg.inv_ex(a), torch.ops.aten._linalg_solve_ex(a[0], c[0, 0])[0],
        ),
        a, b, c,
    )

    def by_factors(a, b):
        factors = torch.ops.aten.linalg_lu_factor_ex(a)[:2]
        ways = [(left, adjoint) for left in (True, False) for adjoint in (True, False)]
        return [linalg.lu_solve(*factors, b if left else b.mT, left=left, adjoint=adjoint) for left, adjoint in ways]

    check(by_factors, a, b)
    z = torch.complex(a, some(3, 4, 4))
    check(by_factors, z, torch.complex(b, b))
    check(lambda a, b: (torch.triangular_solve(b, a), *torch.triangular_solve(b, a, upper=False, transpose=True))[1:],
          a, b)


def test_determinants():
    a = torch.cat([some(3, 5, 5), torch.eye(5)[None, [1, 0, 2, 3, 4]], torch.zeros(1, 5, 5)])
    check(lambda a: (torch.ops.aten._linalg_det(a)[0], *torch.ops.aten._linalg_slogdet(a)[:2], linalg.det(a[1])), a)
    z = torch.complex(some(3, 3), some(4, 3)[:3])
    check(lambda z: (linalg.det(z), *linalg.slogdet(z)), z)


@pytest.mark.parametrize("rows, columns", [(5, 3), (3, 5), (4, 4)])
def test_qr(rows, columns):
    a = some(2, rows, columns)
    for mode in ("reduced", "complete", "r"):
        q, r = compiled(lambda a: linalg.qr(a, mode), a)
        wanted = linalg.qr(a, mode)
        assert (q.shape, r.shape) == (wanted[0].shape, wanted[1].shape)
        near(r.abs(), wanted[1].abs())
        if mode != "r":
            near(q @ r, a)
            near(q.mT @ q, torch.eye(q.shape[-1]).expand(2, -1, -1))
    factors = compiled(lambda a: linalg.householder_product(*torch.geqrf(a)) if rows >= columns else a, a)
    near(factors.mT @ factors, torch.eye(columns).expand(2, -1, -1)) if rows >= columns else None


def test_eigenvalues():
    a = positive(2, 5, 5)
    for way in ("L", "U"):
        values, vectors = compiled(lambda a: linalg.eigh(a, way), a)
        near(values, linalg.eigvalsh(a))
        near(vectors * values[:, None] @ vectors.mT, a)
    near(compiled(linalg.eigvalsh, a), linalg.eigvalsh(a))
    b = some(2, 4, 4)
    values, vectors = compiled(linalg.eig, b)
    near(b.to(vectors.dtype) @ vectors, vectors * values[:, None])
    near(vectors.norm(dim=1), torch.ones(2, 4))
    assert values.dtype == torch.complex64


@pytest.mark.parametrize("rows, columns", [(5, 3), (3, 5), (4, 4)])
def test_singular_values(rows, columns):
    a = some(2, rows, columns)
    for full in (False, True):
        u, s, v = compiled(lambda a: linalg.svd(a, full_matrices=full), a)
        wanted = linalg.svd(a, full_matrices=full)
        assert [one.shape for one in (u, s, v)] == [one.shape for one in wanted]
        near(s, wanted[1])
        least = min(rows, columns)
        near(u[..., :least] * s[:, None] @ v[:, :least], a)
    near(compiled(linalg.svdvals, a), linalg.svdvals(a))
    thin = a.clone()
    thin[:, -1] = thin[:, 0]
    near(compiled(lambda a: (linalg.pinv(a), linalg.pinv(a, atol=0.5), linalg.pinv(a, rtol=0.3)), thin),
         (linalg.pinv(thin), linalg.pinv(thin, atol=0.5), linalg.pinv(thin, rtol=0.3)))


@pytest.mark.parametrize("function", [
    lambda a: linalg.cholesky(a), lambda a: linalg.inv(a), lambda a: linalg.det(a), lambda a: linalg.slogdet(a)[1],
    lambda a: linalg.solve(a, a[..., :1] + 1), lambda a: linalg.eigvalsh(a), lambda a: linalg.svdvals(a),
    lambda a: linalg.qr(a)[1].abs(), lambda a: torch.cholesky_solve(a[..., :2] * 2, linalg.cholesky(a)),
])
def test_gradients_of_factorisations(function):
    torch._dynamo.reset()
    gradients(function, positive(2, 4, 4))


@pytest.mark.parametrize("function", [
    lambda a: linalg.det(a), lambda a: linalg.slogdet(a)[1], lambda a: linalg.det(a.mT), lambda a: torch.logdet(a.mT),
])
def test_gradients_of_determinants_without_symmetry(function):
    torch._dynamo.reset()
    gradients(function, some(2, 4, 4) + 6 * torch.eye(4))


def test_checks_are_no_part_of_a_module():
    a = positive(4, 4)
    check(lambda a: (linalg.inv(a), linalg.cholesky(a), linalg.solve(a, a[0])), a)
    assert not compiled(lambda a: linalg.inv(a), torch.zeros(3, 3)).isfinite().any()


def takes_checks_out():
    """Some versions of PyTorch take the check for a singular matrix out of what they trace."""
    torch._dynamo.reset()
    try:
        torch.compile(linalg.inv, backend="aot_eager")(torch.zeros(3, 3))
    except RuntimeError:
        return False
    return True


def test_what_pytorch_says_of_a_singular_matrix_stays():
    if takes_checks_out():
        pytest.skip("this version of PyTorch takes the check out itself")
    torch._dynamo.reset()
    step = torch.compile(lambda a: linalg.inv(a) + 1, backend=fornax.torch_backend)
    near(step(positive(3, 3)), linalg.inv(positive(3, 3)) + 1)
    with pytest.raises(RuntimeError, match="singular"):
        step(torch.zeros(3, 3))


def test_products_with_reflections():
    for left, transpose in ((True, True), (True, False), (False, True), (False, False)):
        packed, factors = torch.geqrf(some(2, 5, 3))
        other = some(2, 5, 4) if left else some(2, 4, 5)
        check(lambda p, f, o: torch.ormqr(p, f, o, left, transpose), packed, factors, other)
    packed, factors = torch.geqrf(torch.complex(some(5, 5), some(5, 5)))
    check(lambda p, f, o: torch.ormqr(p, f, o, True, True), packed, factors, torch.complex(some(5, 2), some(5, 2)))


def test_pseudo_inverses_of_a_triangle():
    """What lies above the diagonal is not read."""
    for a in (some(2, 5, 5), torch.complex(some(4, 4), some(1, 4, 4)[0] * 2)):
        check(lambda a: torch.linalg.pinv(a, hermitian=True), a)
    gradients(lambda a: torch.linalg.pinv(a, hermitian=True), some(5, 5))


def test_exponentials(caplog):
    """Matrices of one call are halved as often as each needs."""
    sizes = torch.tensor([0.0, 1e-5, 0.3, 1.0, 4.0])[:, None, None]
    check(linalg.matrix_exp, some(5, 4, 4) * sizes)
    check(linalg.matrix_exp, some(2, 3, 3).double() * 5)
    check(linalg.matrix_exp, torch.complex(some(3, 3), some(4, 3)[:3]))
    check(linalg.matrix_exp, torch.tensor([[0.0, 1e6], [0.0, 0.0]]))
    check(linalg.matrix_exp, torch.diag(torch.tensor([-500.0, 0.0, 1.0])))
    check(linalg.matrix_exp, torch.zeros(0, 3, 3))
    turn = some(3, 3)
    check(linalg.matrix_exp, (turn - turn.mT).double() * 1000)
    torch._dynamo.reset()
    gradients(linalg.matrix_exp, some(2, 4, 4))
    assert "PyTorch runs" not in caplog.text
