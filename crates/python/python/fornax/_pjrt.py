"""The PJRT plugin: what JAX calls when it looks for plugins (entry point `jax_plugins`).

The plugin takes part only where it is asked for, by `JAX_PLATFORMS=fornax` or `jax.config.update("jax_platforms", …)`:
whoever imports JAX and has this package installed keeps JAX's own devices.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Any

from ._host_functions import install

PLATFORM = "fornax"
# JAX before it ends with a segmentation fault where a plugin is newer.
OLDEST = (0, 4, 26)
# JAX before it refuses callbacks that are not XLA's own.
CALLING_BACK = (0, 6, 0)
_LIBRARY = Path(__file__).with_name("libfornax_pjrt.so")


def initialize() -> None:
    """Registers the plugin with JAX."""
    import jax

    asked = jax.config.jax_platforms or ""
    if PLATFORM not in asked.split(",") or not _LIBRARY.exists():
        return
    if jax.__version_info__ < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise RuntimeError(f"the platform {PLATFORM} needs JAX {oldest} or later; this is {jax.__version__}")
    from jax._src import xla_bridge

    _agree_on_versions()
    xla_bridge.register_plugin(PLATFORM, priority=500, library_path=str(_LIBRARY), options={})
    _tell_jax()
    if jax.__version_info__ >= CALLING_BACK:
        install(str(_LIBRARY), PLATFORM)


def _agree_on_versions() -> None:
    """What JAX before 0.4.38 does not agree on with a plugin that is newer by itself. It refuses another version of the
    interface unless a variable says that both are compatible; and it writes programs at the plugin's version of
    StableHLO, known or not."""
    from jax._src.lib.mlir.dialects import hlo

    os.environ.setdefault("ENABLE_PJRT_COMPATIBILITY", "1")
    version = getattr(hlo, "get_current_version", None)
    if version is not None:
        major, minor, patch = (ctypes.c_int64(int(part)) for part in version().split("."))
        ctypes.CDLL(str(_LIBRARY)).fornax_pjrt_stablehlo(major, minor, patch)


def _tell_jax() -> None:
    """What JAX knows of platforms by their names. Donation works; and what it lowers only for platforms of a name
    (eigenvalues, Schur forms) is lowered as for processors: by calls of LAPACK, which the compiler knows."""
    from jax._src.interpreters import mlir

    # Private tables of JAX; with a version that lacks them, programs go without.
    donating = getattr(mlir, "_platforms_with_donation", None)
    if isinstance(donating, list) and PLATFORM not in donating:
        donating.append(PLATFORM)
    of_platforms: dict[str, dict[Any, Any]] = getattr(mlir, "_platform_specific_lowerings", {})
    everywhere: dict[Any, Any] = getattr(mlir, "_lowerings", {})
    if "jax._src.lax.linalg" not in sys.modules:
        import jax._src.lax.linalg  # noqa: F401
    ours = of_platforms.setdefault(PLATFORM, {})
    for primitive, rule in of_platforms.get("cpu", {}).items():
        if primitive not in everywhere:
            ours.setdefault(primitive, rule)
