"""JAX's programs for several devices, by the PJRT plugin, on a processor that is divided into four."""

from test_pjrt import run

START = """
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

devices = np.array(jax.devices())
mesh = Mesh(devices.reshape(2, 2), ("x", "y"))
line = Mesh(devices, ("d",))
on = lambda *axes, mesh=mesh: NamedSharding(mesh, P(*axes))
a = np.random.default_rng(0).standard_normal((8, 8)).astype(np.float32)
close = lambda got, wanted: np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=1e-5)
"""


def on_four(code):
    run(START + code, FORNAX_PJRT_OPTIONS="device=cpu,num_devices=4")


def test_a_training_step_is_that_of_one_device():
    on_four("""
def loss(w, x):
    return jnp.mean((jnp.tanh(x @ w["in"]) @ w["out"]) ** 2)

def step(w, x):
    value, gradient = jax.value_and_grad(loss)(w, x)
    return jax.tree.map(lambda w, g: w - 0.1 * g, w, gradient), value

w = {"in": a, "out": a[:, ::2].copy()}
places = {"in": on(None, "y"), "out": on("y", None)}
cut = jax.tree.map(jax.device_put, w, places)
x = jax.device_put(a, on("x", None))
together, alone = jax.jit(step, donate_argnums=0), jax.jit(step)
for _ in range(3):
    before, (cut, value), (w, wanted) = cut, together(cut, x), alone(w, a)
    close(value, wanted)
for name in w:
    close(cut[name], w[name])
    assert cut[name].sharding.is_equivalent_to(places[name], 2), cut[name].sharding
    assert cut[name].addressable_shards[0].data.shape != w[name].shape
    assert before[name].is_deleted()
""")


def test_collectives_of_shard_map():
    on_four("""
def all_of_them(a):
    total = lax.psum(a, "d")
    every = lax.all_gather(a, "d", tiled=True)
    turned = lax.ppermute(a, "d", [(i, (i + 1) % 4) for i in range(4)])
    moved = lax.all_to_all(a, "d", 1, 0, tiled=True)
    part = lax.psum_scatter(every, "d", tiled=True)
    return total, every, turned, moved, part, lax.axis_index("d")[None]

cut = P("d")
f = jax.jit(jax.shard_map(all_of_them, mesh=line, in_specs=cut, out_specs=(P(), P(), cut, P(None, "d"), cut, cut),
                          check_vma=False))
total, every, turned, moved, part, number = f(a)
close(total, a.reshape(4, 2, 8).sum(0))
assert (every == a).all() and (turned == np.roll(a, 2, 0)).all() and (moved == a).all()
close(part, 4 * a)
assert number.tolist() == [0, 1, 2, 3]
close(jax.pmap(lambda a: lax.pmean(a, "i"), axis_name="i")(a.reshape(4, 2, 8))[3], a.reshape(4, 2, 8).mean(0))
""")


def test_arrays_move_between_meshes():
    on_four("""
x = jax.device_put(a, on("x", "y"))
assert [s.data.shape for s in x.addressable_shards] == [(4, 4)] * 4 and (np.asarray(x) == a).all()
for other in (on("y", None), on(None, ("y", "x")), on("d", mesh=line), on(), jax.devices()[2]):
    moved = jax.device_put(x, other)
    assert (np.asarray(moved) == a).all()
made = jax.make_array_from_callback((8, 8), on("x", "y"), lambda at: a[at])
close(jax.jit(lambda x, y: x @ y)(x, made), a @ a)
half = Mesh(devices[[3, 1]], ("z",))
y = jax.device_put(a, on("z", mesh=half))
z = jax.jit(lambda y: y * 2 + y.sum())(y)
assert z.sharding.is_equivalent_to(y.sharding, 2), z.sharding
close(z, a * 2 + a.sum())

# Two meshes of one program.
@jax.jit
def both(x):
    x = lax.with_sharding_constraint(jnp.tanh(x), on(None, "d", mesh=line))
    return lax.with_sharding_constraint(x * 2, on("y", "x"))

close(both(x), np.tanh(a) * 2)
turned = jax.device_put(x, NamedSharding(Mesh(devices.reshape(2, 2).T, ("u", "v")), P("u")))
assert all((s.data == a[s.device.id % 2 * 4:][:4]).all() for s in turned.addressable_shards)
""")


def test_a_call_that_fails_leaves_the_next_ones_whole():
    on_four("""
x = jax.device_put(a, on("x", "y"))
f = jax.jit(lambda x: x.sum(), donate_argnums=0)
g = jax.jit(lambda x: x + 1, donate_argnums=0)
g(x)
for _ in range(2):
    try:
        f(x)
    except (RuntimeError, ValueError) as error:
        assert "deleted" in str(error)
    else:
        raise AssertionError("a deleted array was used")
    close(f(jax.device_put(a, on("x", "y"))), a.sum())
for _ in range(50):
    close(f(jax.device_put(a, on("y", "x"))), a.sum())
""")


def test_a_wrong_argument_of_the_last_device_takes_nothing():
    on_four("""
cut = on("d", mesh=line)
pieces = [jax.device_put(a[2 * at:2 * at + 2], device) for at, device in enumerate(devices)]
broken = jax.make_array_from_single_device_arrays(a.shape, cut, pieces)
pieces[3].delete()
given = jax.device_put(a, cut)
f = jax.jit(lambda x, y: x + y, donate_argnums=0)
try:
    f(given, broken)
except (RuntimeError, ValueError) as error:
    assert "deleted" in str(error)
else:
    raise AssertionError("a deleted array was used")
close(given, a)
close(f(given, jax.device_put(a, cut)), 2 * a)
assert given.is_deleted()
""")
