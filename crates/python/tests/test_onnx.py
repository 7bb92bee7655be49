"""Models of ONNX."""

import numpy as np
import pytest

import fornax

onnx = pytest.importorskip("onnx")


def test_models(tmp_path):
    helper, float_ = onnx.helper, onnx.TensorProto.FLOAT
    weight = onnx.numpy_helper.from_array(np.eye(4, 3, dtype=np.float32) * 2, "weight")
    node = helper.make_node("Gemm", ["x", "weight"], ["y"])
    inputs = [helper.make_tensor_value_info("x", float_, ["batch", 4])]
    outputs = [helper.make_tensor_value_info("y", float_, ["batch", 3])]
    graph = helper.make_graph([node], "main", inputs, outputs, [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    for given in (model, path):
        np.testing.assert_array_equal(fornax.compile(given, device="cpu")(x), 2 * x[:, :3])
