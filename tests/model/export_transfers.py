#!/usr/bin/env python3
"""Programs for 8 devices that send and receive, with what they mean in numpy, as cases of tests/sharded.

    pip install numpy
    python3 tests/model/export_transfers.py

JAX exports no `stablehlo.send`, so the programs are written here: shard_map as Shardy has it, on whole tensors.
"""

import numpy as np

from case_folder import save

TOLERANCE = {"f32": 2e-5}
HEAD = "module @transfers attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {\n  "
LINE, GRID = 'sdy.mesh @mesh = <["d"=8]>', 'sdy.mesh @mesh = <["x"=4, "y"=2]>'


def numbers(*shape, seed=0):
    return (np.random.default_rng(seed + sum(shape)).standard_normal(shape) * 0.5).astype(np.float32)


def attributes(channel, pairs):
    return "<{channel_handle = #stablehlo.channel_handle<handle = %d, type = 1>, is_host_transfer = false, " \
        "source_target_pairs = dense<%s> : tensor<%dx2xi64>}>" % (channel, [list(p) for p in pairs], len(pairs))


def send(result, values, token, types, channel, pairs):
    return '%s = "stablehlo.send"(%s) %s : (%s) -> !stablehlo.token\n' % (
        result, ", ".join(values + [token]), attributes(channel, pairs), ", ".join(types + ["!stablehlo.token"]))


def recv(result, token, types, channel, pairs):
    return '%s:%d = "stablehlo.recv"(%s) %s : (!stablehlo.token) -> (%s)\n' % (
        result, len(types) + 1, token, attributes(channel, pairs), ", ".join(types + ["!stablehlo.token"]))


def manual(mesh, arguments, results, body, values, axes):
    """Arguments and results: (name of the whole, name of the part, whole type, part type, sharding)."""
    listed = lambda rows, at: ", ".join(row[at] for row in rows)
    text = HEAD + mesh + "\n  func.func public @main(%s) -> (%s) {\n" % (
        ", ".join("%s: %s" % (row[0], row[2]) for row in arguments), listed(results, 2))
    text += "    %%out:%d = sdy.manual_computation(%s) in_shardings=[%s] out_shardings=[%s] manual_axes={%s} (%s) {\n" % (
        len(results), listed(arguments, 0), listed(arguments, 4), listed(results, 4), axes,
        ", ".join("%s: %s" % (row[1], row[3]) for row in arguments))
    text += body + "      sdy.return %s : %s\n    } : (%s) -> (%s)\n" % (
        ", ".join(values), listed(results, 3), listed(arguments, 2), listed(results, 2))
    names = ", ".join("%%out#%d" % at for at in range(len(results)))
    return text + "    return %s : %s\n  }\n}\n" % (names, listed(results, 2))


def loop(rounds, carried, body, handed_on):
    """`carried`: (name, start, type). The counter is %n."""
    names = [("%n", "%zero", "tensor<i32>")] + carried
    types = ", ".join(row[2] for row in names)
    return """      %%zero = stablehlo.constant dense<0> : tensor<i32>
      %%one = stablehlo.constant dense<1> : tensor<i32>
      %%rounds = stablehlo.constant dense<%d> : tensor<i32>
      %%loop:%d = stablehlo.while(%s) : %s cond {
        %%more = stablehlo.compare LT, %%n, %%rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %%more : tensor<i1>
      } do {
%s        %%next = stablehlo.add %%n, %%one : tensor<i32>
        stablehlo.return %s : %s
      }
""" % (rounds, len(names), ", ".join("%s = %s" % row[:2] for row in names), types, body,
       ", ".join(["%next"] + handed_on), types)


def pipeline():
    """Eight stages, five batches in a loop: each stage is a matrix of its device; the first one takes the batch."""
    x, w = numbers(5, 3, 4), numbers(8, 4, 4, seed=1) * 2
    chain, part = [(d, d + 1) for d in range(7)], "tensor<3x4xf32>"
    body = "        " + recv("%came", "%k", [part], 3, chain)
    body += """        %batch = stablehlo.dynamic_slice %a, %n, %zero, %zero, sizes = [1, 3, 4]
          : (tensor<5x3x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x4xf32>
        %own = stablehlo.reshape %batch : (tensor<1x3x4xf32>) -> tensor<3x4xf32>
        %in = stablehlo.select %first, %own, %came#0 : tensor<i1>, tensor<3x4xf32>
        %product = stablehlo.dot_general %in, %m, contracting_dims = [1] x [0]
          : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
        %y = stablehlo.tanh %product : tensor<3x4xf32>
"""
    body += "        " + send("%sent", ["%y"], "%came#1", [part], 3, chain)
    body += """        %row = stablehlo.reshape %y : (tensor<3x4xf32>) -> tensor<1x1x3x4xf32>
        %more_rows = stablehlo.dynamic_update_slice %rows, %row, %zero, %n, %zero, %zero
          : (tensor<1x5x3x4xf32>, tensor<1x1x3x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
          -> tensor<1x5x3x4xf32>
"""
    before = """      %t = stablehlo.create_token : !stablehlo.token
      %m = stablehlo.reshape %b : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
      %id = stablehlo.partition_id : tensor<ui32>
      %none = stablehlo.constant dense<0> : tensor<ui32>
      %first = stablehlo.compare EQ, %id, %none : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %empty = stablehlo.constant dense<0.0> : tensor<1x5x3x4xf32>
"""
    carried = [("%rows", "%empty", "tensor<1x5x3x4xf32>"), ("%k", "%t", "!stablehlo.token")]
    arguments = [
        ("%x", "%a", "tensor<5x3x4xf32>", "tensor<5x3x4xf32>", "<@mesh, [{}, {}, {}]>"),
        ("%w", "%b", "tensor<8x4x4xf32>", "tensor<1x4x4xf32>", '<@mesh, [{"d"}, {}, {}]>'),
    ]
    results = [("", "", "tensor<8x5x3x4xf32>", "tensor<1x5x3x4xf32>", '<@mesh, [{"d"}, {}, {}, {}]>')]
    text = manual(LINE, arguments, results, before + loop(5, carried, body, ["%more_rows", "%sent"]), ["%loop#1"], '"d"')
    wanted, here = [], x
    for stage in w:
        here = np.tanh(here @ stage)
        wanted.append(here)
    save("transfer_pipeline", text, [x, w], [np.stack(wanted)], TOLERANCE, folder="sharded")


def there_and_back():
    """A value along the line and one back: the way back reads what the way there made. Whole numbers beside floats."""
    x, count = numbers(8, 6), np.arange(8, dtype=np.int32).reshape(8, 1) * 3 - 5
    there, back = [(d, d + 1) for d in range(7)], [(d + 1, d) for d in range(7)]
    f, i = "tensor<1x6xf32>", "tensor<1x1xi32>"
    body = "      %t = stablehlo.create_token : !stablehlo.token\n      " + recv("%p", "%t", [f, i], 1, there)
    body += "      %s = stablehlo.sine %p#0 : tensor<1x6xf32>\n      %y = stablehlo.add %s, %a : tensor<1x6xf32>\n"
    body += "      %c = stablehlo.add %p#1, %b : tensor<1x1xi32>\n      "
    body += send("%u", ["%y", "%c"], "%p#2", [f, i], 1, there) + "      " + recv("%q", "%u", [f], 2, back)
    body += "      %h = stablehlo.multiply %q#0, %y : tensor<1x6xf32>\n      %z = stablehlo.add %h, %a : tensor<1x6xf32>\n"
    body += "      " + send("%v", ["%z"], "%q#1", [f], 2, back)
    arguments = [
        ("%x", "%a", "tensor<8x6xf32>", f, '<@mesh, [{"d"}, {}]>'),
        ("%w", "%b", "tensor<8x1xi32>", i, '<@mesh, [{"d"}, {}]>'),
    ]
    results = [("", "", "tensor<8x6xf32>", f, '<@mesh, [{"d"}, {}]>'), ("", "", "tensor<8x1xi32>", i, '<@mesh, [{"d"}, {}]>')]
    text = manual(LINE, arguments, results, body, ["%z", "%c"], '"d"')
    y, z, here, after = [], [None] * 8, np.zeros(6, np.float32), np.zeros(6, np.float32)
    for d in range(8):
        here = np.sin(here) + x[d]
        y.append(here)
    for d in reversed(range(8)):
        after = after * y[d] + x[d]
        z[d] = after
    save("transfer_there_and_back", text, [x, count], [np.stack(z), np.cumsum(count, 0, dtype=np.int32)], TOLERANCE,
         folder="sharded")


def halo():
    """Neighbours' edges in a ring, received before they are sent: two permutes, in a loop."""
    x = numbers(32, 3)
    right, left = [(d, (d + 1) % 8) for d in range(8)], [(d, (d - 1) % 8) for d in range(8)]
    edge = "tensor<1x3xf32>"
    body = "        " + recv("%l", "%t", [edge], 1, right) + "        " + recv("%r", "%t", [edge], 2, left)
    body += """        %top = stablehlo.slice %v [0:1, 0:3] : (tensor<4x3xf32>) -> tensor<1x3xf32>
        %bottom = stablehlo.slice %v [3:4, 0:3] : (tensor<4x3xf32>) -> tensor<1x3xf32>
"""
    body += "        " + send("%u", ["%bottom"], "%t", [edge], 1, right)
    body += "        " + send("%w", ["%top"], "%t", [edge], 2, left)
    body += """        %all = stablehlo.concatenate %l#0, %v, %r#0, dim = 0
          : (tensor<1x3xf32>, tensor<4x3xf32>, tensor<1x3xf32>) -> tensor<6x3xf32>
        %above = stablehlo.slice %all [0:4, 0:3] : (tensor<6x3xf32>) -> tensor<4x3xf32>
        %below = stablehlo.slice %all [2:6, 0:3] : (tensor<6x3xf32>) -> tensor<4x3xf32>
        %sum = stablehlo.add %above, %below : tensor<4x3xf32>
        %mean = stablehlo.multiply %sum, %half : tensor<4x3xf32>
"""
    before = """      %t = stablehlo.create_token : !stablehlo.token
      %half = stablehlo.constant dense<0.5> : tensor<4x3xf32>
"""
    arguments = [("%x", "%a", "tensor<32x3xf32>", "tensor<4x3xf32>", '<@mesh, [{"d"}, {}]>')]
    text = manual(LINE, arguments, [arguments[0]], before + loop(6, [("%v", "%a", "tensor<4x3xf32>")], body, ["%mean"]),
                  ["%loop#1"], '"d"')
    wanted = x
    for _ in range(6):
        wanted = (np.roll(wanted, 1, 0) + np.roll(wanted, -1, 0)) * np.float32(0.5)
    save("transfer_halo", text, [x], [wanted], TOLERANCE, folder="sharded")


def stages_of_two():
    """Four stages of two devices, which share the product of a stage: manual along x alone, so y is cut by Fornax."""
    x, w = numbers(3, 8), numbers(4, 8, 8, seed=2)
    chain, part = [(2 * s + y, 2 * s + 2 + y) for s in range(3) for y in range(2)], "tensor<3x8xf32>"
    body = "      %t = stablehlo.create_token : !stablehlo.token\n      " + recv("%p", "%t", [part], 1, chain)
    body += """      %m = stablehlo.reshape %b : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
      %in = stablehlo.add %p#0, %a : tensor<3x8xf32>
      %product = stablehlo.dot_general %in, %m, contracting_dims = [1] x [0]
        : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<3x8xf32>
      %y = stablehlo.tanh %product : tensor<3x8xf32>
"""
    body += "      " + send("%u", ["%y"], "%p#1", [part], 1, chain)
    body += "      %row = stablehlo.reshape %y : (tensor<3x8xf32>) -> tensor<1x3x8xf32>\n"
    arguments = [
        ("%x", "%a", "tensor<3x8xf32>", part, "<@mesh, [{}, {}]>"),
        ("%w", "%b", "tensor<4x8x8xf32>", "tensor<1x8x8xf32>", '<@mesh, [{"x"}, {"y", ?}, {?}]>'),
    ]
    results = [("", "", "tensor<4x3x8xf32>", "tensor<1x3x8xf32>", '<@mesh, [{"x"}, {}, {}]>')]
    text = manual(GRID, arguments, results, body, ["%row"], '"x"')
    wanted, here = [], np.zeros((3, 8), np.float32)
    for stage in w:
        here = np.tanh((here + x) @ stage)
        wanted.append(here)
    save("transfer_stages_of_two", text, [x, w], [np.stack(wanted)], TOLERANCE, folder="sharded")


if __name__ == "__main__":
    pipeline()
    there_and_back()
    halo()
    stages_of_two()
