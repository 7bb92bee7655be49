#!/usr/bin/env python3
"""PyTorch's own samples of its operators (OpInfo) through the importer of `fornax.compile` and `torch.compile`.

    pip install torch==2.15.0 numpy==2.4.6 expecttest scipy
    cargo build -p fornax-cli -p fornax-pjrt -p fornax-python
    python3 tests/model/check_opinfo.py target/debug/fornax [OPERATOR…] [--dtypes f32,bf16,i64] [--samples N]
        [--gradients] [--jobs N] [--bless]

A sample counts where PyTorch traces it as core ATen alone (operators with the tag `core`; composite ones are taken
apart as PyTorch does it for every backend). Results are compared with eager, and where that rounds more, with eager in
twice the bits. Samples of an operator and a type are compiled as one module; where that is refused, each sample is a
module of its own.

With --gradients the gradients of the arguments are compared, of all operators that have them, as `torch.compile` makes
them: forward and backward are graphs of AOTAutograd, and what has no row is left to PyTorch (`unsupported`). The type
of their lines is `f32-gradient`.

tests/model/opinfo_expectations.txt lists what does not pass: `OPERATOR TYPE WHAT`. WHAT is a code of Fornax,
`unsupported` (no row in the importer), `wrong`, or the name of an exception. All else must pass: exit code 1 if not.
--bless writes the list anew.
"""
import argparse
import collections
import concurrent.futures
import itertools
import logging
import multiprocessing
import os
import pathlib
import re
import sys
import tempfile
import traceback
import warnings

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "pages"))
import run as pages  # noqa: E402

EXPECTATIONS = HERE / "opinfo_expectations.txt"
TYPES = {"f32": "float32", "bf16": "bfloat16", "i64": "int64"}
# (rtol, atol) by the type of a result; all else must be equal. Sums of 16 bits are added in another order.
TOLERANCE = {"torch.float32": (2e-5, 2e-5), "torch.bfloat16": (1.6e-2, 1e-2), "torch.complex64": (2e-5, 2e-5),
             "torch.float64": (1e-7, 1e-7), "torch.complex128": (1e-7, 1e-7)}
# Times of eager's own largest error that an error may be: the gradient of logcumsumexp, a difference of large numbers,
# has 1.4.
TIMES_EAGER = 2
# Samples that one module has at most.
TOGETHER = 24
# Operators whose elements are undefined, and those whose places of equal elements are, with the result that has them.
UNDEFINED = ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided")
TIES = {"sort": 1, "topk": 1, "argsort": 0}


def traced(info, sample):
    """The graph of a sample in the importer's operators, and its tensors; None where it is not core ATen."""
    import torch
    from fornax._aten.program import decompositions
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.utils import _pytree

    leaves, form = _pytree.tree_flatten((sample.input, tuple(sample.args), dict(sample.kwargs)))
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]

    def function(*given):
        left = iter(given)
        first, others, named = _pytree.tree_unflatten(
            [next(left) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves], form)
        made = info.op(first, *others, **named)
        return [part for part in _pytree.tree_leaves(made) if isinstance(part, torch.Tensor)]

    whole = torch.func.functionalize(function, remove="mutations_and_views")
    plain = make_fx(whole)(*tensors)
    targets = {node.target for node in plain.graph.nodes if node.op == "call_function"}
    operators = [target for target in targets if isinstance(target, torch._ops.OpOverload)]
    if not operators or any(torch.Tag.core not in operator.tags for operator in operators):
        return None
    return make_fx(whole, decomposition_table=decompositions())(*tensors), tensors, function


def joined(graphs):
    """Graphs side by side in one."""
    import torch

    one = torch.fx.GraphModule({}, torch.fx.Graph())
    results, number = [], 0
    for graph in graphs:
        names = {}
        for node in graph.graph.nodes:
            if node.op == "placeholder":
                names[node] = one.graph.placeholder(f"given_{number}")
                names[node].meta, number = dict(node.meta), number + 1
            elif node.op == "get_attr":
                setattr(one, f"held_{number}", getattr(graph, node.target))
                names[node] = one.graph.get_attr(f"held_{number}")
                names[node].meta, number = dict(node.meta), number + 1
            elif node.op == "output":
                results += [names[value] for value in node.args[0]]
            else:
                names[node] = one.graph.node_copy(node, lambda old: names[old])
    # Arguments come first in a module.
    for node in [node for node in one.graph.nodes if node.op == "placeholder"][::-1]:
        one.graph._root.append(node)
    one.graph.output(results)
    return one


def ran(graphs, tensors):
    """The results of a module of these graphs."""
    import fornax
    import torch
    from fornax._aten import graph_text

    one = joined(graphs)
    module = fornax.compile(graph_text(one.graph, {}, one), device="cpu", results="torch")
    made = module(*itertools.chain.from_iterable(tensors))
    return [made] if isinstance(made, torch.Tensor) else list(made or [])


def wide(function, tensors):
    """The results computed in twice the bits: eager rounds what it holds in between, and sums in another order."""
    import torch

    return function(*(wider(one) for one in tensors))


def wider(tensor):
    import torch

    twice = {torch.bfloat16: torch.float32, torch.float32: torch.float64}
    return tensor.to(twice.get(tensor.dtype, tensor.dtype), copy=True)


def difference(found, wanted, exact):
    """What a result is wrong in; None for nothing. `exact` gives the result without rounding in between."""
    import torch

    if (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
        return f"{found.dtype}{list(found.shape)} and not {wanted.dtype}{list(wanted.shape)}"
    rtol, atol = TOLERANCE.get(str(wanted.dtype), (0, 0))
    try:
        torch.testing.assert_close(found, wanted, rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError as error:
        if wanted.dtype in (torch.bfloat16, torch.float32):
            due, near = exact().double(), found.double()
            own = (wanted.double() - due).abs().nan_to_num(0, 0).max()
            within = (near - due).abs() <= rtol * due.abs() + atol * (1 + due.abs().max()) + TIMES_EAGER * own
            if (within | (near == due) | (near.isnan() & due.isnan())).all():
                return None
        return " ".join(str(error).split())
    return None


def faults(case, found):
    """What the results of a sample are wrong in."""
    info, sample, function, tensors, wanted = case[2:]
    out = []
    for at, (one, due) in enumerate(zip(found, wanted)):
        if TIES.get(info.name) == at and one.dtype == due.dtype and one.shape == due.shape and one.dim():
            # Another place of the same element will do.
            dim = next((int(part) for part in sample.args[info.name == "topk" :] if type(part) is int),
                       sample.kwargs.get("dim", -1))
            one, due = (sample.input.gather(dim, places) for places in (one, due))
        what = difference(one, due, lambda at=at: wide(function, tensors)[at])
        out += [what] if what else []
    return out


def verdicts(cases):
    """(`pass` or what it is instead, what was said) for each case: its graph, tensors, and what `faults` takes."""
    from fornax._aten import Unsupported

    try:
        made = ran([case[0] for case in cases], [case[1] for case in cases])
    except Exception as error:
        if len(cases) > 1:
            return [verdict for case in cases for verdict in verdicts([case])]
        said = f"{type(error).__name__}: {error}"
        code = re.search(r"FX\d{4}", said)
        kind = "unsupported" if isinstance(error, Unsupported) else type(error).__name__
        return [(code.group() if code else kind, said)]
    left, out = iter(made), []
    for case in cases:
        wrong = faults(case, [next(left) for _ in case[-1]])
        out.append(("wrong", wrong[0]) if wrong else ("pass", ""))
    return out


def check(task):
    """The verdicts on an operator with a type, and how many samples are no core ATen."""
    place, kind, limit = task
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    info, dtype = op_db[place], getattr(torch, TYPES[kind])
    if dtype not in info.supported_dtypes("cpu") or info.name in UNDEFINED:
        return [], 0
    cases, out, outside = [], [], 0
    for sample in itertools.islice(info.sample_inputs("cpu", dtype, requires_grad=False), limit):
        try:
            eager = traced(info, sample)
        except Exception:
            # Values that the trace depends on: no backend gets such a graph.
            eager = None
        if eager is None:
            outside += 1
            continue
        graph, tensors, function = eager
        wanted = function(*(tensor.clone() for tensor in tensors))
        cases.append((graph, tensors, info, sample, function, tensors, wanted))
    for at in range(0, len(cases), TOGETHER):
        out += verdicts(cases[at : at + TOGETHER])
    return out, outside


def gradients(call, tensors):
    """Of a weighted sum of the results, by every argument that has them."""
    import torch

    # Random numbers are the same for whoever draws them.
    torch.manual_seed(0)
    given = [one.detach().clone().requires_grad_(one.is_floating_point() or one.is_complex()) for one in tensors]
    made = call(*given)
    parts = [torch.view_as_real(part.resolve_conj()) if part.is_complex() else part for part in made]
    weights = [torch.arange(part.numel()).cos().reshape(part.shape).to(part.dtype) for part in parts]
    total = sum((part * weight).sum() for part, weight in zip(parts, weights) if part.requires_grad)
    found = torch.autograd.grad(total, [one for one in given if one.requires_grad], allow_unused=True)
    return [one for one in found if one is not None]


def gradient_of(info, sample):
    """(`pass` or what it is instead, what was said) for the gradients of a sample; None where eager has none."""
    import fornax
    import torch
    from torch.utils import _pytree

    leaves, form = _pytree.tree_flatten((sample.input, tuple(sample.args), dict(sample.kwargs)))
    tensors = [leaf.detach() for leaf in leaves if isinstance(leaf, torch.Tensor)]

    def function(*given):
        left = iter(given)
        first, others, named = _pytree.tree_unflatten(
            [next(left) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves], form)
        made = sample.output_process_fn_grad(info.op(first, *others, **named))
        return [part for part in _pytree.tree_leaves(made)
                if isinstance(part, torch.Tensor) and (part.is_floating_point() or part.is_complex())]

    try:
        wanted = gradients(function, tensors)
    except Exception:
        return None
    if not wanted:
        return None
    said = []
    keeper = logging.Handler()
    keeper.emit = lambda record: said.append(record.getMessage())
    logging.getLogger("fornax").handlers[:] = [keeper]
    torch._dynamo.reset()
    try:
        found = gradients(torch.compile(function, backend=fornax.torch_backend), tensors)
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        code = re.search(r"FX\d{4}", text)
        # What PyTorch does not trace no backend gets.
        inner = getattr(error, "inner_exception", error)
        if not code and "fornax" not in "".join(traceback.format_exception(inner)):
            return None
        return code.group() if code else type(error).__name__, text
    if len(found) != len(wanted):
        return "wrong", f"{len(found)} gradients and not {len(wanted)}"
    for at, (one, due) in enumerate(zip(found, wanted)):
        what = difference(one, due, lambda at=at: gradients(function, [wider(one) for one in tensors])[at])
        if what:
            return "wrong", what
    return ("unsupported", said[0]) if said else ("pass", "")


def check_gradients(task):
    """The verdicts on an operator's gradients, and how many samples have none."""
    place, kind, limit = task
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    info, dtype = op_db[place], getattr(torch, TYPES[kind])
    if not info.supports_autograd or dtype not in info.supported_backward_dtypes("cpu") or info.name in UNDEFINED:
        return [], 0
    samples = itertools.islice(info.sample_inputs("cpu", dtype, requires_grad=True), limit)
    made = [gradient_of(info, sample) for sample in samples]
    return [one for one in made if one], made.count(None)


def name_of(info):
    return info.name + (f".{info.variant_test_name}" if info.variant_test_name else "")


def read_expectations():
    expected = {}
    for line in EXPECTATIONS.read_text().splitlines() if EXPECTATIONS.exists() else []:
        if line and not line.startswith("#"):
            name, kind, what = line.split()[:3]
            expected.setdefault((name, kind), {})[what] = line
    return expected


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fornax")
    parser.add_argument("names", nargs="*", metavar="OPERATOR")
    parser.add_argument("--dtypes", default=",".join(TYPES))
    parser.add_argument("--samples", type=int, default=None, help="the first N of an operator and a type")
    parser.add_argument("--gradients", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--bless", action="store_true")
    args = parser.parse_args()
    fornax = pathlib.Path(args.fornax).resolve()
    expected, surprises, lines = read_expectations(), 0, {}
    counts = collections.defaultdict(collections.Counter)
    suffix = "-gradient" if args.gradients else ""
    with tempfile.TemporaryDirectory() as folder:
        package = pages.python_package(fornax, pathlib.Path(folder) / "package")
        sys.path.insert(0, str(package))
        os.environ["PATH"] = os.pathsep.join([str(fornax.parent), os.environ.get("PATH", "")])
        os.environ["FORNAX_MODULE_CACHE"] = "off"
        from torch.testing._internal.common_methods_invocations import op_db

        places = [at for at, info in enumerate(op_db) if not args.names or info.name in args.names]
        tasks = [(at, kind, args.samples) for at in places for kind in args.dtypes.split(",")]
        context = multiprocessing.get_context("fork")
        with concurrent.futures.ProcessPoolExecutor(args.jobs, mp_context=context, max_tasks_per_child=None) as pool:
            work = check_gradients if args.gradients else check
            for (at, kind, _), (found, outside) in zip(tasks, pool.map(work, tasks)):
                name, kind = name_of(op_db[at]), kind + suffix
                counts[kind]["outside"] += outside
                counts[kind]["operators"] += bool(found)
                for what, said in found:
                    counts[kind][what] += 1
                    if what == "pass":
                        continue
                    known = expected.get((name, kind), {}).get(what)
                    lines[name, kind, what] = known or f"{name} {kind} {what} {' '.join(said.split())[:80]}".strip()
                    if known is None:
                        surprises += 1
                        print(f"{name} {kind}: {what}: {' '.join(said.split())[:300]}", flush=True)
    left = "have no gradients that PyTorch traces" if args.gradients else "are not core ATen"
    for kind, count in counts.items():
        total = sum(number for what, number in count.items() if what not in ("outside", "operators"))
        others = ", ".join(f"{number} {what}" for what, number in sorted(count.items())
                           if what not in ("outside", "operators", "pass"))
        print(f"{kind}: {count['pass']} of {total} samples of {count['operators']} operators pass "
              f"({100 * count['pass'] / max(1, total):.1f} %){'; ' if others else ''}{others}; "
              f"{count['outside']} samples {left}")
    if args.bless:
        head = [line for line in EXPECTATIONS.read_text().splitlines() if line.startswith("#")]
        tried = {(name_of(op_db[at]), kind + suffix) for at, kind, _ in tasks}
        others = [line for key, rows in expected.items() if key not in tried for line in rows.values()]
        EXPECTATIONS.write_text("\n".join(head + sorted([*lines.values(), *others])) + "\n")
    sys.exit(surprises > 0)


if __name__ == "__main__":
    main()
