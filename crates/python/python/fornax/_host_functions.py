"""JAX's callbacks: functions of Python that a compiled program calls by their numbers.

`jax.pure_callback`, `io_callback`, `jax.debug.callback` and `jax.debug.print` all lower through JAX's
`emit_python_callback`, which knows the platforms of XLA only. For this plugin's platform a callback becomes a custom
call `fornax.host_call` with a number; the plugin is told of one function, which finds the callback of a number.
"""

from __future__ import annotations

import ctypes
import itertools
import math
import sys
import traceback
import weakref
from typing import Any

HOST_CALL = "fornax.host_call"
_DONE, _MISSING, _FAILED = 0, 1, 2

_CALLER = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_uint64, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_void_p),
    ctypes.c_void_p, ctypes.c_size_t,
)

_numbers = itertools.count()
# Programs keep their callbacks alive.
_functions: weakref.WeakValueDictionary[int, _Function] = weakref.WeakValueDictionary()


class _Function:
    """A callback with the types of its operands and results. A token, where there is one, comes first of both."""

    def __init__(self, callback: Any, operands: list[Any], results: list[Any], has_token: bool) -> None:
        self.callback, self.operands, self.results, self.has_token = callback, operands, results, has_token
        self.number = next(_numbers)
        _functions[self.number] = self

    def __call__(self, *args: Any) -> Any:
        return self.callback(*args)

    def __reduce__(self) -> Any:
        raise TypeError("[FX0743] a program with callbacks cannot be serialized: they live in this process")

    def run(self, operands: Any, results: Any) -> None:
        """Calls it on operands at addresses; writes its results to others."""
        import numpy as np
        from jax._src import dtypes

        canonical = getattr(dtypes, "canonicalize_value", None)
        if canonical is None:  # JAX before 0.8
            from jax._src.interpreters import xla

            canonical = xla.canonicalize_dtype
        given = [_gathered(pieces) for pieces in self._arrays(operands, self.operands)]
        made = self.callback(*given)
        if len(made) != len(self.results):
            raise RuntimeError(
                "Mismatched number of outputs from callback. "
                f"Expected: {len(self.results)}, Actual: {len(made)}"
            )
        # Literals of Python and arrays of others become arrays of JAX's types.
        made = [np.asarray(canonical(np.asarray(value))) for value in made]
        for at, (value, (shape, dtype)) in enumerate(zip(made, self.results)):
            for what, expected, actual in (("shape", shape, value.shape), ("dtype", dtype, value.dtype)):
                if expected != actual:
                    raise RuntimeError(
                        f"Incorrect output {what} for return value #{at}: Expected: {expected}, Actual: {actual}"
                    )
        for value, pieces in zip(made, self._arrays(results, self.results)):
            parts = [value] if len(pieces) == 1 else [value.real, value.imag]
            for part, piece in zip(parts, pieces):
                piece[...] = part

    def _arrays(self, addresses: Any, types: list[Any]) -> list[list[Any]]:
        """The arrays in memory of each value, one or two."""
        at = iter(range(int(self.has_token), sys.maxsize))
        return [[_array(addresses[next(at)], shape, part) for part in _parts(dtype)] for shape, dtype in types]


def _parts(dtype: Any) -> list[Any]:
    """Complex numbers travel as arrays of their real and of their imaginary parts."""
    import numpy as np

    return [dtype.type(0).real.dtype] * 2 if np.issubdtype(dtype, np.complexfloating) else [dtype]


def _array(address: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """The array at an address."""
    import numpy as np

    size = math.prod(shape) * dtype.itemsize
    if size == 0:
        return np.zeros(shape, dtype)
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype).reshape(shape)


def _gathered(pieces: list[Any]) -> Any:
    """A value of its parts, in memory of its own."""
    import numpy as np

    if len(pieces) == 1:
        return pieces[0].copy()
    value = np.empty(pieces[0].shape, np.result_type(pieces[0].dtype, np.complex64))
    value.real, value.imag = pieces
    return value


@_CALLER
def _call(number: int, operands: Any, results: Any, said: int, room: int) -> int:
    function = _functions.get(number)
    if function is None:
        return _MISSING
    try:
        function.run(operands, results)
    except BaseException:
        text = traceback.format_exc().encode(errors="replace")[-(room - 1):] + b"\0"
        ctypes.memmove(said, text, len(text))
        return _FAILED
    return _DONE


def install(library: str, platform: str) -> None:
    """Lets programs of `platform` call functions of this process."""
    from jax._src import callback as callbacks

    of_jax = getattr(callbacks, "emit_python_callback", None)
    if of_jax is None:
        return
    ctypes.CDLL(library).fornax_pjrt_host_functions(_call)

    def emit(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        ours = list(ctx.module_context.platforms) == [platform]
        return (_emit if ours else of_jax)(ctx, *args, **kwargs)

    callbacks.emit_python_callback = emit


def _emit(
    ctx: Any, callback: Any, token: Any, operands: Any, operand_avals: Any, result_avals: Any, **others: Any
) -> Any:
    """As JAX's `emit_python_callback`: the results, the token behind the call, the function."""
    from jax._src.interpreters import mlir
    from jax._src.lib.mlir import ir
    from jax._src.lib.mlir.dialects import hlo

    # Of a mesh whose axes are not manual: which of its devices would call?
    if getattr(ctx.module_context.axis_context, "num_devices", None) not in (None, 1):
        raise NotImplementedError(
            "a callback in a program that is cut over several devices of the platform fornax: "
            "call it inside of shard_map, where each device calls"
        )
    given, wanted = _types(operand_avals), _types(result_avals)
    pieces: list[Any] = [token] if token else []
    for value, (_, dtype) in zip(operands, given):
        pieces += [value] if len(_parts(dtype)) == 1 else [hlo.real(value), hlo.imag(value)]
    types: list[Any] = [mlir.token_type()] if token else []
    for shape, dtype in wanted:
        types += [ir.RankedTensorType.get(shape, mlir.dtype_to_ir_type(part)) for part in _parts(dtype)]
    function = _Function(callback, given, wanted, bool(token))
    # The program holds it from here on.
    ctx.module_context.add_host_callback(function)
    call = mlir.custom_call(
        HOST_CALL, result_types=types, operands=pieces, backend_config=str(function.number), has_side_effect=True
    )
    made = iter(call.results)
    behind = next(made) if token else None
    results = [
        next(made) if len(_parts(dtype)) == 1 else hlo.complex(next(made), next(made)) for _, dtype in wanted
    ]
    return results, behind, function


def _types(avals: Any) -> list[Any]:
    """Shapes and NumPy's types, of keys those of their numbers."""
    import numpy as np
    from jax._src import core, dtypes

    physical = [core.physical_aval(aval) for aval in avals]
    return [(aval.shape, np.dtype(bool if aval.dtype == dtypes.float0 else aval.dtype)) for aval in physical]
