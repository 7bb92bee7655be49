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


def test_regions_have_samples_as_they_are_large():
    """Of an image of 0 to 15: samples at 1 and 2 both ways; one; 25 of 10,000, the others beyond the image; none."""
    helper, float_ = onnx.helper, onnx.TensorProto.FLOAT
    node = helper.make_node("RoiAlign", ["x", "regions", "images"], ["y"], sampling_ratio=0,
                            coordinate_transformation_mode="output_half_pixel")
    inputs = [helper.make_tensor_value_info("x", float_, [1, 1, 4, 4]),
              helper.make_tensor_value_info("regions", float_, ["n", 4]),
              helper.make_tensor_value_info("images", onnx.TensorProto.INT64, ["n"])]
    outputs = [helper.make_tensor_value_info("y", float_, ["n", 1, 1, 1])]
    graph = helper.make_graph([node], "main", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=10)
    regions = np.array([[0.5, 0.5, 2.5, 2.5], [0.5, -0.5, 1.5, 0.5], [-50.25, -50.25, 49.75, 49.75],
                        [10, 10, 12, 12]], np.float32)
    image = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    found = fornax.compile(model, device="cpu")(image, regions, np.zeros(4, np.int64))
    np.testing.assert_allclose(found.ravel(), [7.5, 1, 0.016875, 0], rtol=1e-5, atol=1e-7)
