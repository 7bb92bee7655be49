#!/usr/bin/env python3
"""Writes the bytecode files of this folder with the text of the same modules; bytecode.rs compares the graphs.

    pip install jax==0.10.2 numpy
    python3 crates/import/tests/bytecode/export.py

portable_*: what jax.export serialises (VHLO of jaxlib's version, or of the version in the name); native_*: MLIR bytecode of StableHLO,
`_1` in bytecode version 1; sharded_*: with attributes and ops of Shardy; exported_*.bin: files of Exported.serialize(), of one platform and of two,
with the text of their modules.
"""

import io
import os
import pathlib

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax
from jax._src.lax import parallel  # The starts of 0.10 are not exported yet.
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _stablehlo

jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
HERE = pathlib.Path(__file__).resolve().parent


def softmax(x, w):
    return jax.nn.softmax(x @ w, -1)


def many(x, w, at):
    y = lax.conv_general_dilated(x, w, (1, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    flat = jnp.sort(y.reshape(-1))[::2]
    gathered, scattered = x[at], x.at[at].add(1.0)
    looped = lax.while_loop(lambda v: v[0] < 3, lambda v: (v[0] + 1, jnp.sin(v[1])), (0, flat))
    noise = jax.random.normal(jax.random.key(3), (4,))
    exact = lax.dot_general(x[0, 0], w[0, 0], (((1,), (0,)), ((), ())), precision=lax.Precision.HIGHEST)
    chosen = lax.cond(looped[0] > 2, lambda a: a + 1, lambda a: a * 2, looped[1])
    spectrum = jnp.fft.fft(flat[:6].astype(jnp.complex64))
    masked = jnp.where(jnp.array([True, False] * 30)[: flat.shape[0]], flat, 0)
    pooled = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    top = lax.top_k(flat, 3)
    low = lax.dot(x[0, 0], w[0, 0], precision=lax.DotAlgorithmPreset.BF16_BF16_F32)
    small = x.astype(jnp.float8_e4m3fn).astype(jnp.float32), at.astype(jnp.uint8), x.astype(jnp.bfloat16)
    return flat, gathered, scattered, looped[1], noise, exact, chosen, spectrum, masked, pooled, top, low, small


def old(x, w, at):
    y = lax.conv_general_dilated(x, w, (1, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    looped = lax.while_loop(lambda v: v[0] < 3, lambda v: (v[0] + 1, jnp.cos(v[1])), (0, y))
    return x[at], x.at[at].add(1.0), looped[1], lax.dot_general(x[0, 0], w[0, 0], (((1,), (0,)), ((), ()))), jnp.exp(x), x > 0


def constrained(x):
    mesh = jax.make_mesh((1,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))
    place = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("rows"))
    return lax.with_sharding_constraint(x * 2, place) + 1


def sharded():
    square = jax.ShapeDtypeStruct((3, 3), jnp.float32)
    of_one = (("cholesky", jnp.linalg.cholesky), ("qr", jnp.linalg.qr), ("constraint", constrained))
    files = [(name, export.export(jax.jit(function), platforms=["cpu"])(square)) for name, function in of_one]
    for name, exported in files + [("devices", on_devices()), ("async", started())]:
        (HERE / ("sharded_%s.mlirbc" % name)).write_bytes(exported.mlir_module_serialized)
        (HERE / ("sharded_%s.mlir" % name)).write_text(str(exported.mlir_module()))


def on_devices():
    """Four devices: what each argument is cut by, a program that says itself what each device does, a loop around it, a
    dimension that is left open."""
    mesh = jax.make_mesh((2, 2), ("rows", "columns"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    spec = jax.sharding.PartitionSpec
    place = lambda *axes: jax.sharding.NamedSharding(mesh, spec(*axes))
    product = jax.shard_map(lambda a, b: lax.psum(a @ b, "columns"), mesh=mesh, in_specs=(spec("rows", "columns"), spec("columns")), out_specs=spec("rows"))
    step = lambda a, b: lax.fori_loop(0, 3, lambda i, c: lax.with_sharding_constraint(jnp.sin(product(c, b)), place(None, ("columns", "rows"))), a)
    opened = lambda a, b: lax.with_sharding_constraint(step(a, b) * 2, place(spec.UNCONSTRAINED, "columns"))
    square = jax.ShapeDtypeStruct((8, 8), jnp.float32)
    return export.export(jax.jit(opened, in_shardings=(place("rows", "columns"), place()), out_shardings=place("columns")))(square, square)


def started():
    """A sum and an exchange that are begun before their results are wanted: futures."""
    mesh = jax.make_mesh((4,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))
    rows = jax.sharding.PartitionSpec("rows")

    def step(x):
        total, moved = parallel.psum_start(x, "rows"), parallel.all_to_all_start(x, "rows", 1, 0, tiled=True)
        return total.done() + jnp.sin(x), moved.done()

    cut = jax.shard_map(step, mesh=mesh, in_specs=rows, out_specs=rows, check_vma=False)
    return export.export(jax.jit(cut))(jax.ShapeDtypeStruct((8, 8), jnp.float32))


def serialized():
    plain = (jax.ShapeDtypeStruct((3, 4), jnp.float32), jax.ShapeDtypeStruct((4, 5), jnp.float32))
    for name, platforms in (("softmax", ["cpu"]), ("two", ["cpu", "cuda"])):
        exported = export.export(jax.jit(softmax), platforms=platforms)(*plain)
        (HERE / ("exported_%s.bin" % name)).write_bytes(exported.serialize(vjp_order=1))
        (HERE / ("exported_%s.mlir" % name)).write_text(str(exported.mlir_module()))


TRANSFERS = """module @transfers attributes {mhlo.num_partitions = 3 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%%a: tensor<2x2xf32>, %%b: tensor<3xi64>) -> (tensor<2x2xf32>, tensor<3xi64>) {
    %%0 = stablehlo.create_token : !stablehlo.token
    %%1:3 = "stablehlo.recv"(%%0) <{%s}> : (!stablehlo.token) -> (tensor<2x2xf32>, tensor<3xi64>, !stablehlo.token)
    %%2 = stablehlo.add %%1#0, %%a : tensor<2x2xf32>
    %%3 = "stablehlo.send"(%%2, %%b, %%1#2) <{%s}> : (tensor<2x2xf32>, tensor<3xi64>, !stablehlo.token) -> !stablehlo.token
    return %%2, %%1#1 : tensor<2x2xf32>, tensor<3xi64>
  }
}
"""


def transfers():
    """Sends and receives, which JAX does not export: with pairs, and without them in the first version, which has none."""
    channel = "channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false"
    paired = channel + ", source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>"
    for name, half, version in [("", paired, _stablehlo.get_current_version()), ("_old", channel, "1.0.0")]:
        context = mlir.make_ir_context()
        module = ir.Module.parse(TRANSFERS % (half, half), context)
        write_native("transfers" + name, module)
        data = _stablehlo.serialize_portable_artifact(module, version)
        (HERE / ("portable_transfers%s.mlirbc" % name)).write_bytes(data)
        (HERE / ("portable_transfers%s.mlir" % name)).write_text(str(_stablehlo.deserialize_portable_artifact(context, data)))


def write_native(name, module, **options):
    out = io.BytesIO()
    module.operation.write_bytecode(out, **options)
    (HERE / ("native_%s.mlirbc" % name)).write_bytes(out.getvalue())
    (HERE / ("native_%s.mlir" % name)).write_text(str(module))


def main():
    sharded()
    serialized()
    transfers()
    arrays = (np.ones((2, 5, 6, 3), np.float32), np.ones((3, 3, 3, 4), np.float32), np.array([1, 0], np.int32))
    plain = (jax.ShapeDtypeStruct((3, 4), jnp.float32), jax.ShapeDtypeStruct((4, 5), jnp.float32))
    (rows,) = export.symbolic_shape("rows")
    free = (jax.ShapeDtypeStruct((rows, 4), jnp.float32), plain[1])
    for name, function, args in (("softmax", softmax, plain), ("many", many, arrays), ("symbolic", softmax, free)):
        exported = export.export(jax.jit(function))(*args)
        (HERE / ("portable_%s.mlirbc" % name)).write_bytes(exported.mlir_module_serialized)
        (HERE / ("portable_%s.mlir" % name)).write_text(str(exported.mlir_module()))
    module = jax.jit(many).lower(*arrays).compiler_ir("stablehlo")
    for name, version in (("many", None), ("many_1", 1)):
        write_native(name, module, **({"desired_version": version} if version else {}))
    write_native("async", ir.Module.parse((HERE / "sharded_async.mlir").read_text(), mlir.make_ir_context()))
    for version in ("1.0.0", "1.5.0", "1.9.0"):
        module = jax.jit(old).lower(*arrays).compiler_ir("stablehlo")
        data = _stablehlo.serialize_portable_artifact(module, version)
        text = str(_stablehlo.deserialize_portable_artifact(module.context, data))
        (HERE / ("portable_old_%s.mlirbc" % version)).write_bytes(data)
        (HERE / ("portable_old_%s.mlir" % version)).write_text(text)


if __name__ == "__main__":
    main()
