"""Factorisations of matrices, equations, determinants.

A factorisation is a custom call by LAPACK's name, as JAX's exports have it; the compiler expands it. Where PyTorch says
by `info` that a matrix has no factor, so do these; what then stands in the factor is undefined in both.

Worked example: `A = P L U` of `[[0, 2], [1, 3]]`. LAPACK's call gives L and U in one matrix `[[1, 3], [0, 2]]` and the
pivots `[2, 2]`, counted from 1: row 1 was exchanged with row 2, then row 2 with itself. As a permutation that is
`[1, 0]`: row i of `L U` is row 1, 0 of A.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from .builder import Builder, Value
from .indexing import gather_along
from .table import Unsupported, op

# LAPACK's letters for element types.
_LETTERS = {torch.float32: "s", torch.float64: "d", torch.complex64: "c", torch.complex128: "z"}
_REAL = {torch.complex64: torch.float32, torch.complex128: torch.float64}
_COMPLEX = {torch.float32: torch.complex64, torch.float64: torch.complex128}


def _real(dtype: torch.dtype) -> torch.dtype:
    return _REAL.get(dtype, dtype)


def _call(
    g: Builder, name: str, operands: Sequence[Value], results: Sequence[tuple[torch.dtype, Sequence[int]]],
    letters: str = "",
) -> tuple[Value, ...]:
    """LAPACK's function of this name, `?` in it the letter of the element type; `letters` are `name=X` and so on."""
    dtype = operands[0].dtype
    if dtype not in _LETTERS or any(0 in value.shape for value in operands):
        raise Unsupported(f"factors of {'no elements' if dtype in _LETTERS else f'elements of {dtype}'}")
    config = ", ".join(f"{one.split('=')[0]} = {ord(one.split('=')[1])} : ui8" for one in letters.split())
    text = (
        f'call_target_name = "lapack_{name.replace("?", _LETTERS[dtype])}_ffi", api_version = 4 : i32, '
        f'backend_config = "", mhlo.backend_config = {{{config}}}'
    )
    return g.ops("stablehlo.custom_call", operands, results, text)


def _places(g: Builder, value: Value) -> tuple[Value, Value]:
    """The row and the column of every element of a matrix."""
    return tuple(g.iota(at, torch.int64, value.shape[-2:]) for at in (0, 1))  # type: ignore[return-value]


def _triangle(g: Builder, value: Value, direction: str, unit: bool = False) -> Value:
    """The elements whose row is `GE` (lower) or `LE` (upper) their column, the others 0; with `unit` 1 between."""
    row, column = _places(g, value)
    zero = g.full(0, value.dtype)
    made = g.select(g.broadcast(g.compare(row, column, direction), value.shape), value, zero)
    if unit:
        made = g.select(g.broadcast(g.compare(row, column, "EQ"), value.shape), g.full(1, value.dtype), made)
    return made


def _diagonal(g: Builder, value: Value) -> Value:
    """[…, min(M, N)]: the elements whose row is their column."""
    row, column = _places(g, value)
    kept = g.select(g.broadcast(g.compare(row, column, "EQ"), value.shape), value, g.full(0, value.dtype))
    made = g.reduce("add", kept, 0, [value.rank - 1])
    return g.cut(made, made.rank - 1, 0, min(value.shape[-2:]))


def _flipped(g: Builder, value: Value) -> Value:
    return g.transpose(value, [*range(value.rank - 2), value.rank - 1, value.rank - 2])


def _adjoint(g: Builder, value: Value) -> Value:
    made = _flipped(g, value)
    return g.unary("chlo.conj", made) if made.dtype.is_complex else made


def _solved(
    g: Builder, a: Value, b: Value, *, lower: bool, left: bool = True, unit: bool = False, adjoint: bool = False
) -> Value:
    """X of `A X = B`, or of `X A = B` where A does not stand `left`; A is triangular."""
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (g.broadcast(part, (*batch, *part.shape[-2:])) for part in (a, b))
    text = (
        f"left_side = {str(left).lower()}, lower = {str(lower).lower()}, unit_diagonal = {str(unit).lower()}, "
        f"transpose_a = #stablehlo<transpose {'ADJOINT' if adjoint else 'NO_TRANSPOSE'}>"
    )
    return g.op("stablehlo.triangular_solve", [a, b], b.dtype, b.shape, text)


@op("aten.linalg_solve_triangular.default")
def solve_triangular(
    g: Builder, a: Value, b: Value, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Value:
    return _solved(g, a, b, lower=not upper, left=left, unit=unitriangular)


@op("aten.triangular_solve.default")
def solve_triangular_before(
    g: Builder, b: Value, a: Value, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Value, Value]:
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    whole = g.broadcast(a, (*batch, *a.shape[-2:]))
    own, lower = (_flipped(g, whole), upper) if transpose else (whole, not upper)
    return _solved(g, own, b, lower=lower, unit=unitriangular), whole


@op("aten.linalg_cholesky_ex.default")
def cholesky(g: Builder, a: Value, *, upper: bool = False, check_errors: bool = False) -> tuple[Value, Value]:
    results = [(a.dtype, a.shape), (torch.int32, a.shape[:-2])]
    factor, info = _call(g, "?potrf", [a], results, f"uplo={'U' if upper else 'L'}")
    return _triangle(g, factor, "LE" if upper else "GE"), info


@op("aten.cholesky_solve.default")
def cholesky_solve(g: Builder, b: Value, factor: Value, upper: bool = False) -> Value:
    """X of `A X = B` by the factor of A."""
    half = _solved(g, factor, b, lower=not upper, adjoint=upper)
    return _solved(g, factor, half, lower=not upper, adjoint=not upper)


@op("aten.cholesky_inverse.default")
def cholesky_inverse(g: Builder, factor: Value, upper: bool = False) -> Value:
    return cholesky_solve(g, _unit(g, factor), factor, upper)


def _unit(g: Builder, like: Value) -> Value:
    """Unit matrices in the place of square ones."""
    row, column = _places(g, like)
    return g.broadcast(g.convert(g.compare(row, column, "EQ"), like.dtype), like.shape)


def _lu(g: Builder, a: Value) -> tuple[Value, Value, Value]:
    """L and U in one matrix, pivots from 1, info."""
    pivots = (*a.shape[:-2], min(a.shape[-2:]))
    return _call(g, "?getrf", [a], [(a.dtype, a.shape), (torch.int32, pivots), (torch.int32, a.shape[:-2])])


def _permutation(g: Builder, pivots: Value, rows: int) -> Value:
    """The row of A that each row of `L U` is."""
    from_zero = g.binary("subtract", pivots, g.full(1, pivots.dtype))
    text = 'call_target_name = "lu_pivots_to_permutation", api_version = 4 : i32, backend_config = ""'
    made = g.op("stablehlo.custom_call", [from_zero], torch.int32, (*pivots.shape[:-1], rows), text)
    return g.convert(made, torch.int64)


def _inverse(g: Builder, permutation: Value) -> Value:
    last = permutation.rank - 1
    return g.sort([permutation, g.iota(last, torch.int64, permutation.shape)], last, False)[1]


def _moved(g: Builder, value: Value, permutation: Value, dim: int) -> Value:
    """Row (`dim` -2) or column (-1) i of the result is that with the number `permutation[i]`."""
    dim = value.dim(dim)
    batch = range(permutation.rank - 1)
    # Batch dimensions are aligned at the end, as those of the matrices are.
    lead = value.rank - 2 - len(batch)
    index = g.broadcast(permutation, value.shape, [*(lead + at for at in batch), dim])
    return gather_along(g, value, dim, index)


def _solved_by_lu(
    g: Builder, packed: Value, permutation: Value, b: Value, left: bool = True, adjoint: bool = False
) -> Value:
    """X of `A X = B` or `X A = B` for `A = P L U`; with `adjoint` of Aᴴ in the place of A."""
    batch = torch.broadcast_shapes(packed.shape[:-2], b.shape[:-2])
    packed = g.broadcast(packed, (*batch, *packed.shape[-2:]))
    b = g.broadcast(b, (*batch, *b.shape[-2:]))
    dim, upper = -2 if left else -1, dict(lower=False, left=left, adjoint=adjoint)
    lower = dict(lower=True, unit=True, left=left, adjoint=adjoint)
    if left != adjoint:
        # U⁻¹ L⁻¹ Pᵀ B, and B P L⁻ᴴ U⁻ᴴ.
        half = _solved(g, packed, _moved(g, b, permutation, dim), **lower)  # type: ignore[arg-type]
        return _solved(g, packed, half, **upper)  # type: ignore[arg-type]
    # P L⁻ᴴ U⁻ᴴ B, and B U⁻¹ L⁻¹ Pᵀ.
    half = _solved(g, packed, b, **upper)  # type: ignore[arg-type]
    half = _solved(g, packed, half, **lower)  # type: ignore[arg-type]
    return _moved(g, half, _inverse(g, permutation), dim)


def _with_pivots(pivot: bool) -> None:
    if not pivot:
        raise Unsupported("LU factors without pivots")


@op("aten.linalg_lu_factor_ex.default")
def lu_factor(g: Builder, a: Value, *, pivot: bool = True, check_errors: bool = False) -> tuple[Value, Value, Value]:
    _with_pivots(pivot)
    return _lu(g, a)


@op("aten.lu_unpack.default")
def lu_unpack(
    g: Builder, packed: Value, pivots: Value, unpack_data: bool = True, unpack_pivots: bool = True
) -> tuple[Value, Value, Value]:
    """P, L and U; what was not asked for has no elements."""
    rows, columns = packed.shape[-2:]
    least, dtype = min(rows, columns), packed.dtype
    nothing = g.full(0, dtype, (0,))
    p, low, high = nothing, nothing, nothing
    if unpack_data:
        low = _triangle(g, g.cut(packed, packed.rank - 1, 0, least), "GE", unit=True)
        high = _triangle(g, g.cut(packed, packed.rank - 2, 0, least), "LE")
    if unpack_pivots:
        permutation = _permutation(g, pivots, rows)
        shape = (*permutation.shape[:-1], rows, rows)
        row = g.iota(len(shape) - 2, torch.int64, shape)
        whole = g.broadcast(permutation, shape, [*range(permutation.rank - 1), len(shape) - 1])
        p = g.convert(g.compare(row, whole, "EQ"), dtype)
    return p, low, high


@op("aten.linalg_lu.default")
def lu(g: Builder, a: Value, *, pivot: bool = True) -> tuple[Value, Value, Value]:
    _with_pivots(pivot)
    packed, pivots, _ = _lu(g, a)
    return lu_unpack(g, packed, pivots)


@op("aten.linalg_lu_solve.default")
def lu_solve(
    g: Builder, packed: Value, pivots: Value, b: Value, *, left: bool = True, adjoint: bool = False
) -> Value:
    return _solved_by_lu(g, packed, _permutation(g, pivots, packed.shape[-2]), b, left, adjoint)


@op("aten._linalg_solve_ex.default")
def solve(
    g: Builder, a: Value, b: Value, *, left: bool = True, check_errors: bool = False
) -> tuple[Value, Value, Value, Value]:
    """X, the factors of A, pivots, info. A B with a dimension less is vectors."""
    packed, pivots, info = _lu(g, a)
    is_vector = b.rank == 1 or (b.rank == a.rank - 1 and b.shape == a.shape[:-1])
    rows = g.reshape(b, (*b.shape, 1)) if is_vector else b
    made = _solved_by_lu(g, packed, _permutation(g, pivots, a.shape[-2]), rows, left or is_vector)
    return g.reshape(made, made.shape[:-1]) if is_vector else made, packed, pivots, info


@op("aten.linalg_inv_ex.default")
def inverse(g: Builder, a: Value, *, check_errors: bool = False) -> tuple[Value, Value]:
    packed, pivots, info = _lu(g, a)
    return _solved_by_lu(g, packed, _permutation(g, pivots, a.shape[-2]), _unit(g, a)), info


def _sign_of_exchanges(g: Builder, pivots: Value, dtype: torch.dtype) -> Value:
    """-1 where an odd number of rows was exchanged, else 1."""
    last = pivots.rank - 1
    own = g.binary("add", g.iota(last, torch.int32, pivots.shape), g.full(1, torch.int32))
    exchanged = g.compare(pivots, own, "NE")
    signs = g.select(exchanged, g.full(-1, dtype), g.full(1, dtype))
    return g.reduce("multiply", signs, 1, [last])


def _lu_of_determinant(g: Builder, a: Value) -> tuple[Value, Value]:
    """Factors and pivots. Those of a contiguous real matrix are of its transpose: PyTorch's gradient solves with them
    as such."""
    if g.example is not None and g.example.is_contiguous() and not a.dtype.is_complex:
        a = g.transpose(a, [*range(a.rank - 2), -1, -2])
    packed, pivots, _ = _lu(g, a)
    return packed, pivots


@op("aten._linalg_det.default")
def determinant(g: Builder, a: Value) -> tuple[Value, Value, Value]:
    packed, pivots = _lu_of_determinant(g, a)
    diagonal = _diagonal(g, packed)
    product = g.reduce("multiply", diagonal, 1, [diagonal.rank - 1])
    return g.binary("multiply", product, _sign_of_exchanges(g, pivots, a.dtype)), packed, pivots


@op("aten._linalg_slogdet.default")
def sign_and_logarithm(g: Builder, a: Value) -> tuple[Value, Value, Value, Value]:
    """The determinant's sign, the logarithm of its size, factors, pivots."""
    packed, pivots = _lu_of_determinant(g, a)
    diagonal = _diagonal(g, packed)
    last = [diagonal.rank - 1]
    signs = g.reduce("multiply", g.unary("sign", diagonal), 1, last)
    size = g.op("stablehlo.abs", [diagonal], _real(a.dtype), diagonal.shape)
    sign = g.binary("multiply", signs, _sign_of_exchanges(g, pivots, a.dtype))
    return sign, g.reduce("add", g.unary("log", size), 0, last), packed, pivots


def _reflections(g: Builder, a: Value) -> tuple[Value, Value]:
    """R above the reflections, and their factors."""
    least = (*a.shape[:-2], min(a.shape[-2:]))
    return _call(g, "?geqrf", [a], [(a.dtype, a.shape), (a.dtype, least)])  # type: ignore[return-value]


def _product_of(g: Builder, packed: Value, factors: Value, columns: int) -> Value:
    """The first columns of the product of reflections."""
    rows, own = packed.shape[-2:]
    lead = [0] * (packed.rank - 1)
    if own < columns:
        packed = g.pad(packed, 0, [*lead, 0], [*lead, columns - own])
    elif own > columns:
        packed = g.cut(packed, packed.rank - 1, 0, columns)
    name = "?ungqr" if packed.dtype.is_complex else "?orgqr"
    return _call(g, name, [packed, factors], [(packed.dtype, (*packed.shape[:-2], rows, columns))])[0]


@op("aten.geqrf.default")
def reflections(g: Builder, a: Value) -> tuple[Value, Value]:
    return _reflections(g, a)


@op("aten.linalg_householder_product.default")
def householder_product(g: Builder, packed: Value, factors: Value) -> Value:
    return _product_of(g, packed, factors, packed.shape[-1])


@op("aten.ormqr.default")
def product_with_reflections(g: Builder, packed: Value, factors: Value, other: Value, left: bool = True,
                             transpose: bool = False) -> Value:
    """A matrix times the square product of reflections, or its conjugate transpose, from one side."""
    q, rank = _product_of(g, packed, factors, packed.shape[-2]), other.rank
    if transpose and q.dtype.is_complex:
        q = g.unary("chlo.conj", q)
    row, column = rank - 2, rank - 1
    batch = range(row)
    if left:
        return g.dot(q, other, batch, ([row if transpose else column], [row]), q.dtype)
    return g.dot(other, q, batch, ([column], [column if transpose else row]), q.dtype)


@op("aten.linalg_qr.default")
def qr(g: Builder, a: Value, mode: str = "reduced") -> tuple[Value, Value]:
    packed, factors = _reflections(g, a)
    rows = a.shape[-2] if mode == "complete" else min(a.shape[-2:])
    high = _triangle(g, g.cut(packed, a.rank - 2, 0, rows), "LE")
    q = g.full(0, a.dtype, (0,)) if mode == "r" else _product_of(g, packed, factors, rows)
    return q, high


@op("aten._linalg_eigh.default")
def eigenvalues_of_symmetric(g: Builder, a: Value, UPLO: str = "L", compute_v: bool = True) -> tuple[Value, Value]:
    values = (_real(a.dtype), a.shape[:-1])
    name = "?heevd" if a.dtype.is_complex else "?syevd"
    made = _call(g, name, [a], [(a.dtype, a.shape), values, (torch.int32, a.shape[:-2])], f"mode=V uplo={UPLO.upper()}")
    return made[1], made[0] if compute_v else g.full(0, a.dtype, (0,))


@op("aten.linalg_eig.default")
def eigenvalues(g: Builder, a: Value) -> tuple[Value, Value]:
    """Values and vectors, complex also of a real matrix."""
    made = _COMPLEX.get(a.dtype, a.dtype)
    values = [(a.dtype, a.shape[:-1])] * (1 if a.dtype.is_complex else 2)
    results = [*values, (made, a.shape), (made, a.shape), (torch.int32, a.shape[:-2])]
    found = _call(g, "?geev", [a], results, "compute_left=N compute_right=V")
    own = found[0] if a.dtype.is_complex else g.op("stablehlo.complex", list(found[:2]), made, a.shape[:-1])
    return own, found[-2]


@op("aten._linalg_eigvals.default", "aten.linalg_eigvals.default")
def eigenvalues_alone(g: Builder, a: Value) -> Value:
    return eigenvalues(g, a)[0]


def _svd(g: Builder, a: Value, full: bool) -> tuple[Value, Value, Value]:
    """U, singular values, Vᴴ."""
    rows, columns = a.shape[-2:]
    batch, least = a.shape[:-2], min(rows, columns)
    results = [
        (a.dtype, a.shape), (_real(a.dtype), (*batch, least)), (a.dtype, (*batch, rows, rows if full else least)),
        (a.dtype, (*batch, columns if full else least, columns)), (torch.int32, batch),
    ]
    found = _call(g, "?gesdd", [a], results, f"mode={'A' if full else 'S'}")
    return found[2], found[1], found[3]


@op("aten._linalg_svd.default")
def singular_values(
    g: Builder, a: Value, full_matrices: bool = False, compute_uv: bool = True, *, driver: Any = None
) -> tuple[Value, Value, Value]:
    u, values, v = _svd(g, a, full_matrices and compute_uv)
    if not compute_uv:
        u = v = g.full(0, a.dtype, (0,))
    return u, values, v


@op("aten.linalg_pinv.atol_rtol_tensor")
def pseudo_inverse(
    g: Builder, a: Value, *, atol: Value | None = None, rtol: Value | None = None, hermitian: bool = False
) -> Value:
    """V S⁺ Uᴴ. Singular values up to the tolerance count as 0; without one it is what PyTorch takes. Of a Hermitian
    matrix only the lower triangle counts."""
    if hermitian:
        below, diagonal = _triangle(g, a, "GT"), _triangle(g, a, "EQ")
        diagonal = g.convert(g.convert(diagonal, _real(a.dtype)), a.dtype)
        a = g.binary("add", g.binary("add", below, _adjoint(g, below)), diagonal)
    u, values, v = _svd(g, a, False)
    dtype, rank = values.dtype, a.rank
    zero = g.full(0, dtype)

    def given(tolerance: Value) -> Value:
        return g.reshape(g.convert(tolerance, dtype), (*tolerance.shape, 1))

    absolute = zero if atol is None else given(atol)
    relative = g.full(torch.finfo(dtype).eps * max(a.shape[-2:]), dtype)
    if rtol is not None:
        relative = given(rtol)
    elif atol is not None:
        relative = g.select(g.compare(absolute, zero, "GT"), zero, relative)
    largest = g.reduce("maximum", values, 0, [values.rank - 1], True)
    limit = g.binary("maximum", absolute, g.binary("multiply", relative, largest))
    inverted = g.select(g.compare(values, limit, "GT"), g.binary("divide", g.full(1, dtype), values), zero)
    inverted = g.convert(g.reshape(inverted, (*inverted.shape[:-1], 1, inverted.shape[-1])), a.dtype)
    scaled = g.binary("multiply", _adjoint(g, v), inverted)
    return g.dot(scaled, _adjoint(g, u), range(rank - 2), ([rank - 1], [rank - 2]), a.dtype)


# Of a series for exp, by the width of an element: the largest norm it is used for, its terms. What is left out is less
# than a quarter of the last bit of the least exp: 2^16 / 16! of e^-2, 1 / 20! of e^-1.
_SERIES = {4: (2.0, 16), 8: (1.0, 20)}
# Bits of a float's fraction, the exponent of 1, the integer of its width.
_FLOAT = {torch.float32: (23, 127, torch.int32), torch.float64: (52, 1023, torch.int64)}


@op("aten.linalg_matrix_exp.default")
def matrix_exp(g: Builder, a: Value) -> Value:
    """The series of a matrix that is halved until it is small; then its square as often.

    `[[8]]` in 32 bits is halved twice, exp(2) = 7.39; squared twice that is 54.6, 2981.
    """
    real, size = _real(a.dtype), a.shape[-1]
    if real not in _FLOAT:
        raise Unsupported(f"exponentials of matrices of {a.dtype}")
    if 0 in a.shape:
        return a
    most, terms = _SERIES[real.itemsize]
    bits, one, whole = _FLOAT[real]
    norm = g.reduce("add", g.op("stablehlo.abs", [a], real, a.shape), 0, [a.rank - 2])
    norm = g.reduce("maximum", norm, 0, [a.rank - 2])
    # The exponent of the norm, of which the bits lie behind those of the fraction.
    power = g.op("stablehlo.bitcast_convert", [g.binary("divide", norm, g.full(most, real))], whole, norm.shape)
    power = g.binary("shift_right_logical", power, g.full(bits, whole))
    halvings = g.binary("subtract", power, g.full(one - 1, whole))
    halvings = g.op("stablehlo.clamp", [g.full(0, whole), halvings, g.full(one - 1, whole)], whole, norm.shape)
    exponent = g.binary("shift_left", g.binary("subtract", g.full(one, whole), halvings), g.full(bits, whole))
    scale = g.op("stablehlo.bitcast_convert", [exponent], real, norm.shape)
    scale = g.reshape(g.convert(scale, a.dtype), (*norm.shape, 1, 1))
    a = g.binary("multiply", a, scale)
    row, column = _places(g, a)
    powers = [g.broadcast(g.convert(g.compare(row, column, "EQ"), a.dtype), a.shape), a]
    for _ in range(3):
        powers.append(_product(g, powers[-1], a))
    made: Value | None = None
    for first in range(terms - 4, -1, -4):
        part = g.full(0, a.dtype)
        for at in range(4):
            factor = g.full(1 / math.factorial(first + at), a.dtype)
            part = g.binary("add", part, g.binary("multiply", powers[at], factor))
        made = part if made is None else g.binary("add", _product(g, made, powers[4]), part)
    assert made is not None
    squarings = g.convert(halvings, torch.int64)
    rounds = g.reduce("maximum", squarings, 0, range(squarings.rank))

    def square(number: Value, state: Value) -> Value:
        goes_on = g.reshape(g.compare(number, squarings, "LT"), scale.shape)
        return g.select(goes_on, _product(g, state, state), state)

    return g.repeat(rounds, made, square)


def _product(g: Builder, a: Value, b: Value) -> Value:
    batch = range(a.rank - 2)
    return g.dot(a, b, batch, ([a.rank - 1], [a.rank - 2]), a.dtype)
