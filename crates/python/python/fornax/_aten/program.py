"""From a graph of ATen to the text of a module."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx import Graph, Node

from . import decomposed
from .builder import Builder, Value
from .table import OPS, Unsupported, name_of, unsupported


def exported_text(program: ExportedProgram) -> str:
    """The program's function as `@main` of its inputs; parameters and buffers are constants of the module.

    Raises `Unsupported` for operators outside of the table, for sizes of run time and for programs that change their
    buffers.
    """
    program = program.run_decompositions(decompositions())
    signature = program.graph_signature
    _drop_kept_buffers(program)
    changed = [spec.target for spec in signature.output_specs if spec.kind not in _RESULTS]
    if changed:
        raise Unsupported(f"the program changes {', '.join(map(str, changed))}: return it as a result instead")
    _drop_checks(program)
    constants = {**program.state_dict, **program.constants}
    held = {
        spec.arg.name: constants[spec.target]
        for spec in signature.input_specs
        if spec.kind in (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)
    }
    return graph_text(program.graph, held, program.graph_module)


def _drop_kept_buffers(program: ExportedProgram) -> None:
    """Takes out results that would put a buffer in its own place, as `self.mask = self.mask.to(device)` does."""
    signature = program.graph_signature
    output = next(node for node in program.graph.nodes if node.op == "output")
    own = {spec.target: spec.arg.name for spec in signature.input_specs if spec.kind == InputKind.BUFFER}
    kept = [(spec, value) for spec, value in zip(signature.output_specs, output.args[0])
            if spec.kind != OutputKind.BUFFER_MUTATION or own.get(spec.target) != value.name]
    signature.output_specs[:] = [spec for spec, _ in kept]
    output.args = (tuple(value for _, value in kept),)


# Checks of numbers that the program reads.
_CHECKS = ("aten._assert_scalar.default", "aten._assert_async.default", "aten._assert_async.msg")


def _drop_checks(program: ExportedProgram) -> None:
    """Takes out checks of numbers, and that a matrix had a factor, with the tokens that order those: a module has no
    exceptions. What PyTorch would have refused gives NaN or infinities, or the elements next to what is asked for."""
    graph, signature = program.graph, program.graph_signature
    checks = [node for node in graph.nodes if name_of(node.target) in _CHECKS]
    for node in checks:
        graph.erase_node(node)
    if checks:
        graph.eliminate_dead_code()
    for node in list(graph.nodes):
        if name_of(node.target) != "with_effects" or name_of(node.args[1]) != "aten._linalg_check_errors.default":
            continue
        for user in list(node.users):
            user.replace_all_uses_with(node.args[0])
            graph.erase_node(user)
        graph.erase_node(node)
    output = next(node for node in graph.nodes if node.op == "output")
    kinds = [spec.kind for spec in signature.output_specs]
    output.args = (tuple(value for value, kind in zip(output.args[0], kinds) if kind != OutputKind.TOKEN),)
    tokens = {spec.arg.name for spec in signature.input_specs if spec.kind == InputKind.TOKEN}
    for node in [node for node in graph.nodes if node.op == "placeholder" and node.name in tokens and not node.users]:
        graph.erase_node(node)


def decompositions() -> dict[Any, Any]:
    """What PyTorch itself writes as other operators: its core table, and those that ours has no row for."""
    table = dict(torch._decomp.core_aten_decompositions())
    for name in _WRITTEN:
        table.pop(getattr(torch.ops.aten, name).default, None)
    more = [getattr(torch.ops.aten, name) for name in _DECOMPOSED if hasattr(torch.ops.aten, name)]
    table.update(torch._decomp.get_decompositions(more))
    table.update(decomposed.rules())
    for name in _WIDE:
        found = getattr(torch.ops.aten, name).default
        table[found] = _widened(table[found])
    return table


def _widened(rule: Any) -> Any:
    """A decomposition that computes in 32 bits what has 16, as PyTorch's own kernels do."""

    def write(value: torch.Tensor, *arguments: Any) -> torch.Tensor:
        if value.dtype not in (torch.float16, torch.bfloat16):
            return rule(value, *arguments)  # type: ignore[no-any-return]
        given = (one.float() if isinstance(one, torch.Tensor) else one for one in arguments)
        return rule(value.float(), *given).to(value.dtype)  # type: ignore[no-any-return]

    return write


# Decompositions that would round places of 16 bits.
_WIDE = ("grid_sampler_2d",)


# Operators that PyTorch's core table takes apart and ours has rows for. Its attention gives weights in the place of the
# sums that the gradient wants.
_WRITTEN = ("_scaled_dot_product_flash_attention_for_cpu",)

# Operators outside of PyTorch's core table that it can write as others.
_DECOMPOSED = (
    "upsample_bilinear2d", "upsample_linear1d", "upsample_trilinear3d", "upsample_bicubic2d", "grid_sampler_2d",
    "polar", "native_layer_norm_backward", "native_group_norm_backward",
    "native_batch_norm_backward", "_softmax_backward_data", "_log_softmax_backward_data", "gelu_backward",
    "nll_loss_forward", "nll_loss_backward", "nll_loss2d_forward", "nll_loss2d_backward", "addcmul", "addcdiv", "lerp",
    "hardswish_backward", "silu_backward", "tanh_backward", "sigmoid_backward",
    "threshold_backward", "elu_backward", "leaky_relu_backward", "mse_loss", "mse_loss_backward", "std", "std_mean",
    "reflection_pad2d_backward", "replication_pad2d", "im2col", "col2im",
    "linalg_cross", "unfold_backward", "bernoulli", "slice_backward", "select_backward", "dist", "ldexp", "narrow_copy",
    "native_batch_norm", "rrelu_with_noise_backward",
)


# What an output of a program may be; tokens of checks go.
_RESULTS = (OutputKind.USER_OUTPUT, OutputKind.TOKEN)


def graph_text(graph: Graph, held: dict[str, torch.Tensor], module: Any) -> str:
    """The graph as `@main` of its placeholders but those that are `held`, which become constants."""
    missing = unsupported(graph)
    if missing:
        raise Unsupported(f"no StableHLO is written for {', '.join(missing)}")
    writer = _Writer(held, module)
    # Whoever traces has tensors without elements as the default; the constants of a graph have them.
    with unset_fake_temporarily():
        for node in graph.nodes:
            writer.node(node)
    return writer.text()


def is_tensor(value: Any) -> bool:
    """Whether a result of a graph is a tensor; numbers and None are no results of the module."""
    return isinstance(value, Node) and isinstance(value.meta.get("val"), torch.Tensor)


def sizes_of(value: torch.Tensor) -> tuple[int, ...]:
    if not all(isinstance(size, int) for size in value.shape):
        raise Unsupported("sizes of run time: export the program for one size")
    return tuple(value.shape)


class _Writer:
    def __init__(self, held: dict[str, torch.Tensor], module: Any) -> None:
        self.builder = Builder()
        self.held = held
        self.module = module
        self.values: dict[Node, Any] = {}
        self.arguments: list[Value] = []
        self.results: list[Value] = []

    def node(self, node: Node) -> None:
        if node.op == "placeholder":
            self.values[node] = self.placeholder(node)
        elif node.op == "get_attr":
            found = self.module
            for part in str(node.target).split("."):
                found = getattr(found, part)
            self.values[node] = self.builder.constant(found)
        elif node.op == "call_function":
            self.values[node] = self.call(node)
        elif node.op == "output":
            given = node.args[0]
            given = given if isinstance(given, (tuple, list)) else (given,)
            self.results = [self.values[value] for value in given if is_tensor(value)]

    def placeholder(self, node: Node) -> Any:
        if node.name in self.held:
            return self.builder.constant(self.held[node.name])
        # A number that is traced has none in some versions of PyTorch: it stands in the graph as a constant.
        example = node.meta.get("val")
        if not isinstance(example, torch.Tensor):
            return example
        value = Value(f"%arg{len(self.arguments)}", example.dtype, sizes_of(example))
        self.arguments.append(value)
        return value

    def argument(self, value: Any) -> Any:
        if isinstance(value, Node):
            return self.values[value]
        if isinstance(value, (list, tuple)):
            return [self.argument(part) for part in value]
        if isinstance(value, torch.SymInt):
            raise Unsupported("sizes of run time: export the program for one size")
        return value

    def call(self, node: Node) -> Any:
        arguments = [self.argument(value) for value in node.args]
        if node.target is operator.getitem:
            return arguments[0][arguments[1]]
        keywords = {name: self.argument(value) for name, value in node.kwargs.items()}
        wanted = node.meta.get("val")
        self.builder.due = tuple(_parts(wanted))
        first = next((part for part in self.builder.due if isinstance(part, torch.Tensor)), None)
        if first is not None:
            self.builder.dtype, self.builder.shape = first.dtype, sizes_of(first)
            operand = node.args[0].meta.get("val") if node.args and isinstance(node.args[0], Node) else None
            self.builder.example = operand if isinstance(operand, torch.Tensor) else None
        try:
            made = OPS[name_of(node.target)](self.builder, *arguments, **keywords)
        except Unsupported as why:
            why.node = node
            raise
        made = self.in_their_types(made, wanted)
        for value, part in zip(_parts(made), _parts(wanted)):
            if isinstance(value, Value) and isinstance(part, torch.Tensor):
                found, due = (value.dtype, value.shape), (part.dtype, sizes_of(part))
                if found != due:
                    raise AssertionError(f"{node.target}: {found} was written where {due} is due")
        return made

    def in_their_types(self, made: Any, wanted: Any) -> Any:
        """Statistics beside a result have the type in which the device keeps them: bf16 on processors, f32 on GPUs."""
        if not isinstance(made, tuple):
            return made

        def kept(value: Any, part: Any) -> Any:
            is_other = isinstance(value, Value) and isinstance(part, torch.Tensor) and value.dtype != part.dtype
            is_float = is_other and value.dtype.is_floating_point and part.dtype.is_floating_point
            return self.builder.convert(value, part.dtype) if is_float else value

        return made[:1] + tuple(kept(value, part) for value, part in zip(made[1:], wanted[1:]))

    def text(self) -> str:
        arguments = ", ".join(f"{value.name}: {value.type}" for value in self.arguments)
        types = ", ".join(value.type for value in self.results)
        names = ", ".join(value.name for value in self.results)
        end = f'    "func.return"({names}) : ({types}) -> ()' if self.results else '    "func.return"() : () -> ()'
        lines = [
            "module {",
            f"  func.func public @main({arguments}) -> ({types}) {{",
            *self.builder.lines,
            end,
            "  }",
            "}",
        ]
        return "\n".join(lines) + "\n"


def _parts(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (tuple, list)) else (value,)
