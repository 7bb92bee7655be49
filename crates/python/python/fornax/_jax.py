"""Functions of JAX, by `jax.export`: the program as StableHLO, and the trees of its arguments and results."""

from __future__ import annotations

import sys
from typing import Any

from ._tree import JaxTree, Trees


def is_exported(value: Any) -> bool:
    # `jax.export` is a module of its own, which whoever has such a value has imported.
    export = sys.modules.get("jax.export")
    return export is not None and isinstance(value, export.Exported)


def is_jitted(value: Any) -> bool:
    names = ("lower", "trace", "eval_shape")
    return "jax" in sys.modules and all(callable(getattr(value, name, None)) for name in names)


def exported(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The function for arguments like these: arrays, or `jax.ShapeDtypeStruct`s, whose sizes may be symbolic."""
    from jax import export

    # What JAX lowers for the processor Fornax compiles for every device.
    return export.export(function, platforms=["cpu"])(*args, **kwargs)


def trees(value: Any) -> Trees:
    """The trees of an exported function. JAX leaves out of the program what the function does not use."""
    kept = tuple(value.module_kept_var_idx)
    everything = kept == tuple(range(len(value.in_avals)))
    return Trees(JaxTree(value.in_tree), JaxTree(value.out_tree), None if everything else kept)
