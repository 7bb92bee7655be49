"""The models of tests/model/check_models.py as ONNX graphs, for ONNX Runtime; weights by name, as in args.json.

`build(name, weights)` gives the serialised model and the name of its input: ResNet50 and MobileNetV2 by walking the keras layers (NHWC
input, a transpose first, everything else NCHW), BERT-base node by node with ONNX's LayerNormalization and Gelu.
"""
import os

import numpy as np


class Graph:
    def __init__(self):
        self.nodes, self.constants, self.count = [], [], 0

    def constant(self, array):
        from onnx import numpy_helper
        name = "c%d" % len(self.constants)
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(self, op, *inputs, **attributes):
        from onnx import helper
        self.count += 1
        name = "t%d" % self.count
        self.nodes.append(helper.make_node(op, list(inputs), [name], **attributes))
        return name

    def model(self, element, shape, result):
        from onnx import TensorProto, helper
        value = helper.make_tensor_value_info("x", element, shape)
        output = helper.make_tensor_value_info(result, TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "g", [value], [output], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10).SerializeToString()


def build(name, weights):
    return bert(weights) if name == "bert_base" else network(name, weights)


def network(name, weights):
    from onnx import TensorProto
    os.environ["KERAS_BACKEND"] = "jax"
    import keras
    model = getattr(keras.applications, {"resnet50": "ResNet50", "mobilenet_v2": "MobileNetV2"}[name])(weights=None)
    by_path = {key.split("/", 1)[1]: value for key, value in weights.items()}
    g, values = Graph(), {}
    for layer in model.layers:
        inputs = layer.input if isinstance(layer.input, list) else [layer.input]
        given = [values.get(id(t)) for t in inputs]
        get = lambda part: by_path["%s/%s" % (layer.name, part)]
        kind = type(layer).__name__
        if kind == "InputLayer":
            made = g.add("Transpose", "x", perm=[0, 3, 1, 2])
        elif kind in ("Conv2D", "DepthwiseConv2D"):
            kernel, group = get("kernel").transpose(3, 2, 0, 1), 1
            if kind == "DepthwiseConv2D":
                kernel = get("kernel").transpose(2, 3, 0, 1)
                group = kernel.shape[0]
            pads = [0] * 4
            if layer.padding == "same":
                # keras puts what does not divide after the image.
                total = [max((-(-n // s) - 1) * s + k - n, 0) for n, s, k in zip(inputs[0].shape[1:3], layer.strides, layer.kernel_size)]
                pads = [t // 2 for t in total] + [t - t // 2 for t in total]
            operands = given + [g.constant(kernel)] + ([g.constant(get("bias"))] if layer.use_bias else [])
            made = g.add("Conv", *operands, strides=list(layer.strides), pads=pads, group=group)
        elif kind == "BatchNormalization":
            parts = [g.constant(get(p)) for p in ("gamma", "beta", "moving_mean", "moving_variance")]
            made = g.add("BatchNormalization", *given, *parts, epsilon=float(layer.epsilon))
        elif kind == "ReLU":
            made = g.add("Clip", *given, g.constant(np.float32(0)), g.constant(np.float32(layer.max_value)))
        elif kind == "Activation":
            made = g.add("Relu", *given)
        elif kind == "Add":
            made = g.add("Add", *given)
        elif kind == "ZeroPadding2D":
            (top, bottom), (left, right) = layer.padding
            made = g.add("Pad", *given, g.constant(np.array([0, 0, top, left, 0, 0, bottom, right])))
        elif kind == "MaxPooling2D":
            made = g.add("MaxPool", *given, kernel_shape=list(layer.pool_size), strides=list(layer.strides))
        elif kind == "GlobalAveragePooling2D":
            made = g.add("ReduceMean", *given, g.constant(np.array([2, 3])), keepdims=0)
        elif kind == "Dense":
            made = g.add("MatMul", *given, g.constant(get("kernel")))
            made = g.add("Softmax", g.add("Add", made, g.constant(get("bias"))), axis=-1)
        else:
            raise ValueError("no ONNX form of layer %s" % kind)
        values[id(layer.output)] = made
    return g.model(TensorProto.FLOAT, [1, 224, 224, 3], made), "x"


def bert(w):
    from onnx import TensorProto
    g = Graph()

    def norm(x, name):
        parts = [g.constant(w[name + "/" + p]) for p in ("scale", "bias")]
        return g.add("LayerNormalization", x, *parts, axis=-1, epsilon=1e-12)

    def dense(x, name):
        return g.add("Add", g.add("MatMul", x, g.constant(w[name + "/kernel"])), g.constant(w[name + "/bias"]))

    heads, merged = g.constant(np.array([1, 128, 12, 64])), g.constant(np.array([1, 128, 768]))
    scale = g.constant(np.float32(0.125))
    x = g.add("Add", g.add("Gather", g.constant(w["embedding/tokens"]), "x"), g.constant(w["embedding/positions"]))
    x = norm(x, "embedding/norm")
    for layer in range(12):
        p = "layer%d/" % layer
        split = lambda part, perm: g.add("Transpose", g.add("Reshape", dense(x, p + part), heads), perm=perm)
        q, k, v = split("q", [0, 2, 1, 3]), split("k", [0, 2, 3, 1]), split("v", [0, 2, 1, 3])
        shares = g.add("Softmax", g.add("Mul", g.add("MatMul", q, k), scale), axis=-1)
        mixed = g.add("Reshape", g.add("Transpose", g.add("MatMul", shares, v), perm=[0, 2, 1, 3]), merged)
        x = norm(g.add("Add", x, dense(mixed, p + "o")), p + "norm1")
        x = norm(g.add("Add", x, dense(g.add("Gelu", dense(x, p + "up")), p + "down")), p + "norm2")
    return g.model(TensorProto.INT32, [1, 128], x), "x"
