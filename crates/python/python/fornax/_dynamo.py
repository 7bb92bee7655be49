"""`torch.compile(model, backend="fornax")`: graphs of PyTorch, forward and backward, as modules of Fornax.

A graph is cut where an operator has no row in `_aten`: PyTorch runs that part itself, and a line of the log `fornax`
says which operators those are. Graphs with sizes of run time become a module for each size that comes. Modules are kept
by a hash of their text, in the process and on disk (`_cache`).
"""

from __future__ import annotations

import hashlib
import logging
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._dynamo.backends.common import aot_autograd
from torch.fx import GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

from . import _cache
from ._aten import Unsupported, graph_text
from ._aten.program import decompositions, is_tensor
from ._aten.table import is_known, name_of
from ._compile import targets_of
from ._lender import Lender
from ._module import Module
from ._native import ModuleFile

LOG = logging.getLogger("fornax")

# Modules that compiled graphs of this process use, by device and the hash of their text. PyTorch bounds how many graphs
# it keeps; a module goes with the last of its graphs.
_LOADED: weakref.WeakValueDictionary[tuple[str, str], Module] = weakref.WeakValueDictionary()

# Sizes of run time that one graph keeps a module for; the one that was not used for the longest goes first.
_SIZES = 64


def backend(graph: GraphModule, examples: Sequence[Any], **_: Any) -> Callable[..., Any]:
    """The backend of `torch.compile`. Its entry point is called `fornax`; `fornax.torch_backend` is the same."""
    return aot_autograd(  # type: ignore[no-any-return]
        fw_compiler=_compiler, bw_compiler=_compiler, inference_compiler=_compiler, decompositions=decompositions()
    )(graph, examples)


def _compiler(graph: GraphModule, examples: Sequence[Any]) -> Callable[[list[Any]], Any]:
    run = _sized(graph) if _has_open_sizes(graph) else _cut(graph)

    # PyTorch hands the arguments over in a list, so that it need not hold on to them.
    def boxed(arguments: list[Any]) -> Any:
        given = list(arguments)
        arguments.clear()
        with torch.no_grad():
            return run(*given)

    boxed._boxed_call = True  # type: ignore[attr-defined]
    return boxed


def _has_open_sizes(graph: GraphModule) -> bool:
    def is_open(value: Any) -> bool:
        if isinstance(value, torch.Tensor):
            return any(not isinstance(size, int) for size in value.shape)
        return isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool))

    nodes = (node.meta.get("val") for node in graph.graph.nodes if node.op == "placeholder")
    return any(is_open(value) for value in nodes)


def _sized(graph: GraphModule) -> Callable[..., Any]:
    """A graph with open sizes: traced again for each size that comes."""
    made: OrderedDict[Any, Callable[..., Any]] = OrderedDict()

    def run(*arguments: Any) -> Any:
        key = tuple(
            (tuple(one.shape), one.dtype) if isinstance(one, torch.Tensor) else one for one in arguments
        )
        if key not in made:
            made[key] = _cut(make_fx(graph, tracing_mode="fake")(*arguments))
            if len(made) > _SIZES:
                made.popitem(last=False)
        made.move_to_end(key)
        return made[key](*arguments)

    return run


class _Support(OperatorSupportBase):  # type: ignore[misc]
    def __init__(self, refused: set[str]) -> None:
        self.refused = refused

    def is_node_supported(self, submodules: Any, node: Node) -> bool:
        if node.op != "call_function" or node.name in self.refused or not is_known(node):
            return False
        values = node.meta.get("val")
        parts = values if isinstance(values, (tuple, list)) else [values]
        return any(isinstance(part, torch.Tensor) for part in parts)


def _cut(graph: GraphModule) -> Callable[..., Any]:
    """The graph as one module where every operator is known, else as modules with PyTorch between them."""
    calls = [node for node in graph.graph.nodes if node.op == "call_function"]
    if not calls:
        return graph.forward  # type: ignore[no-any-return]
    refused: dict[str, str] = {}
    for node in calls:
        if not is_known(node):
            refused[node.name] = f"{name_of(node.target)}: no StableHLO is written for it"
    while not refused:
        try:
            return _module(graph)
        except Unsupported as why:
            if why.node is None:
                LOG.warning("a graph is left to PyTorch: %s", why)
                return graph.forward  # type: ignore[no-any-return]
            refused[why.node.name] = f"{name_of(why.node.target)}: {why}"
    return _parts(graph, refused)


def _parts(graph: GraphModule, refused: dict[str, str]) -> Callable[..., Any]:
    while True:
        copy = GraphModule(graph, _copied(graph))
        partitioner = CapabilityBasedPartitioner(copy, _Support(set(refused)), allows_single_node_partition=False)
        cut = partitioner.partition_and_fuse()
        try:
            for name, part in list(cut.named_children()):
                if isinstance(part, GraphModule):
                    setattr(cut, name, _Part(_module(part)))
        except Unsupported as why:
            if why.node is None:
                raise
            refused[why.node.name] = f"{name_of(why.node.target)}: {why}"
            continue
        for reason in sorted(set(refused.values())):
            LOG.warning("PyTorch runs %s", reason)
        return cut.forward  # type: ignore[no-any-return]


def _copied(graph: GraphModule) -> Any:
    fresh = torch.fx.Graph()
    names: dict[Node, Node] = {}
    output = fresh.graph_copy(graph.graph, names)
    fresh.output(output)
    return fresh


class _Part(torch.nn.Module):  # type: ignore[misc]
    """A module in the place of a part of a graph."""

    def __init__(self, run: Callable[..., Any]) -> None:
        super().__init__()
        self.run = run

    def forward(self, *arguments: Any) -> Any:
        return self.run(*arguments)


def _device(graph: GraphModule) -> str:
    """The device that the graph's tensors are on, as Fornax calls it."""
    for node in graph.graph.nodes:
        value = node.meta.get("val")
        for part in value if isinstance(value, (tuple, list)) else [value]:
            if isinstance(part, torch.Tensor):
                if part.device.type == "cpu":
                    return "cpu"
                if part.device.type == "cuda":
                    driver = "rocm" if torch.version.hip else "cuda"
                    return f"{driver}:{part.device.index or 0}"
                raise Unsupported(f"tensors on {part.device}")
    raise Unsupported("a graph without tensors")


def _module(graph: GraphModule) -> Callable[..., Any]:
    """The whole graph as one module."""
    device = _device(graph)
    text = graph_text(graph.graph, {}, graph)
    key = (device, hashlib.sha256(text.encode()).hexdigest())
    module = _LOADED.get(key)
    if module is None:
        data = _cache.compiled(text.encode(), targets_of("auto", device))
        module = _LOADED[key] = Module(ModuleFile.from_bytes(data), device=device, results="torch")
    output = next(node for node in graph.graph.nodes if node.op == "output").args[0]
    is_one = not isinstance(output, (tuple, list))
    results = [output] if is_one else list(output)
    places = [at for at, value in enumerate(results) if is_tensor(value)]
    # Numbers are known: sizes, and what is computed of them.
    others = [value.meta.get("val") if isinstance(value, Node) else value for value in results]

    inputs = [node.meta.get("val") for node in graph.graph.nodes if node.op == "placeholder"]
    tensors = [at for at, value in enumerate(inputs) if isinstance(value, torch.Tensor)]
    given_whole = len(tensors) == len(inputs)
    call = Lender(module).call

    def run(*arguments: Any) -> Any:
        everything = list(others)
        given = list(arguments) if given_whole else [arguments[at] for at in tensors]
        for place, value in zip(places, call(given)):
            everything[place] = value
        return everything[0] if is_one else tuple(everything)

    return run
