"""Compiled modules on disk, by a hash of what they were made of.

They lie in `FORNAX_MODULE_CACHE`, else in the user's folder of caches; `FORNAX_MODULE_CACHE=off` keeps none. When they
take more than `FORNAX_MODULE_CACHE_BYTES` (2 GiB), those that were not used for the longest go.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import _command, _resident

# Bytes that the folder may take.
_BYTES = 2 << 30


def folder() -> Path | None:
    named = os.environ.get("FORNAX_MODULE_CACHE")
    if named == "off":
        return None
    if named:
        return Path(named)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "fornax" / "modules"


def compiled(model: bytes, arguments: Sequence[str]) -> bytes:
    """The module of a model, from the folder or from the compiler."""
    place = folder()
    if place is None:
        return _resident.compiled(model, arguments)
    parts = [_command.identity().encode(), *(argument.encode() for argument in arguments), model]
    path = place / (hashlib.sha256(b"\0".join(parts)).hexdigest() + ".fnx")
    try:
        data = path.read_bytes()
        os.utime(path)
        return data
    except OSError:
        pass
    data = _resident.compiled(model, arguments)
    # A folder that cannot be written costs time, not the result.
    with contextlib.suppress(OSError):
        _keep(place, path, data)
    return data


def _keep(place: Path, path: Path, data: bytes) -> None:
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=place, delete=False) as file:
        file.write(data)
    # Whole or not at all, whoever else writes it.
    os.replace(file.name, path)
    limit = int(os.environ.get("FORNAX_MODULE_CACHE_BYTES") or _BYTES)
    found = sorted(((one.stat().st_mtime, one.stat().st_size, one) for one in place.glob("*.fnx")), reverse=True)
    total = 0
    for _, size, one in found:
        total += size
        if total > limit and one != path:
            one.unlink(missing_ok=True)
