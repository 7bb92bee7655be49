"""Programs for 8 devices as JAX exports them, with what JAX computes on 8 CPU devices, as cases of tests/sharded.

Inputs and outputs are whole tensors. Import this before jax: it says how many CPU devices there are.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, shard_map
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from case_folder import save

TOLERANCE = {"f32": 2e-5, "bf16": 2e-2}
DEVICES = np.array(jax.devices()[:8])
GRID = Mesh(DEVICES.reshape(4, 2), ("x", "y"))
LINE = Mesh(DEVICES, ("d",))


def numbers(*shape, seed=0, dtype=np.float32):
    return (np.random.default_rng(seed + sum(shape)).standard_normal(shape) * 0.5).astype(dtype)


def case(name, function, inputs):
    """`function` is jitted; its outputs are a tuple, a list or one array."""
    results = jax.tree.leaves(function(*inputs))
    text = function.lower(*inputs).as_text()
    save(name, text, inputs, [np.asarray(r) for r in results], TOLERANCE, folder="sharded")


def manual(name, function, inputs, ins, outs, mesh=GRID):
    case("manual_" + name, jax.jit(shard_map(function, mesh=mesh, in_specs=ins, out_specs=outs, check_vma=False)), inputs)


def auto(name, function, inputs, ins, outs=None, mesh=GRID):
    shardings = jax.tree.map(lambda spec: NamedSharding(mesh, spec), ins, is_leaf=lambda x: isinstance(x, P))
    more = {} if outs is None else {"out_shardings": jax.tree.map(lambda s: NamedSharding(mesh, s), outs, is_leaf=lambda x: isinstance(x, P))}
    case("auto_" + name, jax.jit(function, in_shardings=shardings, **more), inputs)
