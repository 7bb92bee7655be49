"""Small ONNX models for `mutate_checkpoints.py`, and changes of any field of their messages."""
import math

from onnx import ModelProto, TensorProto, helper

NUMBERS = [0, 1, 2, 3, 7, 8, 255, 4096, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1]
FLOATS = [0.0, -0.0, 0.5, 1.0, -1.0, 1e-45, 3.4e38, 1e300, math.nan, math.inf, -math.inf]
WORDS = ["", "x", "no_such", "ai.onnx.ml", "com.microsoft", "Relu", "TreeEnsembleClassifier", "LOGISTIC", "SOFTMAX_ZERO",
         "BRANCH_LEQ", "LEAF", "AVERAGE", "RBF", "same_upper", "ü" * 300, "a\0b"]
#: Elements of a list that is made long.
LONG = 3000


def of_package():
    """The `onnx` package's own node tests: (name, bytes)."""
    import warnings

    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in collect_testcases(None):
            yield case.name, case.model.SerializeToString()


def model(name, nodes, inputs, outputs, given=()):
    graph = helper.make_graph(nodes, name, inputs, outputs, list(given))
    opset = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3),
             helper.make_opsetid("com.microsoft", 1)]
    return name, helper.make_model(graph, opset_imports=opset, ir_version=8).SerializeToString()


def of_open_sizes():
    """Models whose inputs have sizes of run time: (name, bytes)."""
    info, floats, whole = helper.make_tensor_value_info, TensorProto.FLOAT, TensorProto.INT64
    weight = helper.make_tensor("w", floats, [8, 4], [0.1 * n for n in range(32)])
    shape = helper.make_tensor("s", whole, [3], [0, -1, 4])
    x, y = info("x", floats, ["batch", "steps", 8]), info("y", floats, ["batch", "steps", 4])
    product = helper.make_node("MatMul", ["x", "w"], ["p"])
    yield model("product", [product, helper.make_node("Softmax", ["p"], ["y"], axis=-1)], [x], [y], [weight])
    nodes = [product, helper.make_node("Reshape", ["p", "s"], ["r"]), helper.make_node("Relu", ["r"], ["y"])]
    yield model("reshape", nodes, [x], [info("y", floats, None)], [weight, shape])
    image, kernel = info("x", floats, ["n", 3, "h", "w"]), helper.make_tensor("w", floats, [4, 3, 3, 3], [0.1] * 108)
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
             helper.make_node("MaxPool", ["c"], ["y"], kernel_shape=[2, 2], strides=[2, 2])]
    yield model("convolution", nodes, [image], [info("y", floats, None)], [kernel])
    nodes = [helper.make_node("Concat", ["x", "z"], ["c"], axis=1), helper.make_node("Shape", ["c"], ["s"]),
             helper.make_node("ConstantOfShape", ["s"], ["o"]), helper.make_node("Add", ["c", "o"], ["y"])]
    yield model("shapes", nodes, [x, info("z", floats, ["batch", "more", 8])], [info("y", floats, None)])


def tree(names):
    """The lists of two trees, the second of a leaf alone; `names` are the prefixes of its weights and their ids."""
    weight, target = names
    return {
        "nodes_treeids": [0, 0, 0, 0, 0, 1], "nodes_nodeids": [0, 1, 2, 3, 4, 0], "nodes_featureids": [1, 0, 0, 0, 0, 0],
        "nodes_modes": ["BRANCH_LEQ", "BRANCH_LT", "LEAF", "LEAF", "LEAF", "LEAF"],
        "nodes_values": [0.5, -1.0, 0.0, 0.0, 0.0, 0.0], "nodes_truenodeids": [1, 3, 0, 0, 0, 0],
        "nodes_falsenodeids": [2, 4, 0, 0, 0, 0], "nodes_missing_value_tracks_true": [1, 0, 0, 0, 0, 0],
        "nodes_hitrates": [1.0] * 6, f"{weight}_treeids": [0, 0, 0, 1], f"{weight}_nodeids": [2, 3, 4, 0],
        f"{target}ids": [0, 1, 0, 1], f"{weight}_weights": [0.25, -0.5, 1.0, 0.125],
    }


def of_learners():
    """What converters of scikit-learn, XGBoost and LightGBM write: (name, bytes)."""
    info, floats, whole = helper.make_tensor_value_info, TensorProto.FLOAT, TensorProto.INT64
    x, y, label = (info("x", floats, ["rows", 3]), info("y", floats, None), info("label", whole, None))
    learners = {
        "TreeEnsembleRegressor": dict(tree(("target", "target_")), n_targets=2, aggregate_function="SUM",
                                      base_values=[0.5, 1.0], post_transform="NONE"),
        "TreeEnsembleClassifier": dict(tree(("class", "class_")), classlabels_int64s=[3, 5], base_values=[0.0, 0.25],
                                       post_transform="LOGISTIC"),
        "LinearClassifier": dict(coefficients=[0.1 * n for n in range(9)], intercepts=[0.0, 1.0, -1.0], multi_class=0,
                                 classlabels_ints=[0, 1, 2], post_transform="SOFTMAX"),
        "LinearRegressor": dict(coefficients=[0.1 * n for n in range(6)], intercepts=[0.0, 1.0], targets=2),
        "SVMClassifier": dict(classlabels_ints=[0, 1], vectors_per_class=[1, 2], kernel_type="RBF",
                              support_vectors=[0.1 * n for n in range(9)], coefficients=[0.5, -0.25, -0.25],
                              rho=[0.125], kernel_params=[0.5, 0.0, 3.0]),
        "SVMRegressor": dict(n_supports=3, kernel_type="POLY", support_vectors=[0.1 * n for n in range(9)],
                             coefficients=[0.5, -0.25, -0.25], rho=[0.125], kernel_params=[0.5, 0.0, 3.0]),
        "Scaler": dict(offset=[0.0, 1.0, 2.0], scale=[1.0, 0.5, 2.0]),
        "Imputer": dict(imputed_value_floats=[0.0, 1.0, 2.0], replaced_value_float=math.nan),
        "Normalizer": dict(norm="L2"), "Binarizer": dict(threshold=0.5),
        "OneHotEncoder": dict(cats_int64s=[0, 1, 2], zeros=1),
        "LabelEncoder": dict(keys_floats=[0.0, math.nan], values_floats=[1.0, 2.0], default_float=-1.0),
    }
    for name, attributes in learners.items():
        classes = name.endswith("Classifier")
        node = helper.make_node(name, ["x"], ["label", "y"] if classes else ["y"], domain="ai.onnx.ml", **attributes)
        yield model(name, [node], [x], [label, y] if classes else [y])
    places = helper.make_tensor("places", whole, [2], [2, 0])
    nodes = [helper.make_node("ArrayFeatureExtractor", ["x", "places"], ["a"], domain="ai.onnx.ml"),
             helper.make_node("FeatureVectorizer", ["a", "x"], ["y"], domain="ai.onnx.ml", inputdimensions=[2, 3])]
    yield model("features", nodes, [x], [y], [places])


def of_fused():
    """What ONNX Runtime's optimiser and quantiser write: (name, bytes)."""
    info, floats, small = helper.make_tensor_value_info, TensorProto.FLOAT, TensorProto.UINT8
    image, rows = info("x", floats, ["n", 2, 5, 4]), info("x", floats, [3, 4])
    kernel = helper.make_tensor("w", floats, [3, 2, 3, 3], [0.1] * 54)
    matrix = helper.make_tensor("w", floats, [4, 4], [0.1 * n for n in range(16)])
    result, own = [info("y", floats, None)], {"domain": "com.microsoft"}
    node = helper.make_node("FusedConv", ["x", "w", "", ""], ["y"], activation="Clip", activation_params=[0.0, 6.0],
                            pads=[1, 1, 1, 1], **own)
    yield model("fused_conv", [node], [image], result, [kernel])
    node = helper.make_node("FusedGemm", ["x", "w"], ["y"], activation="LeakyRelu", activation_alpha=0.1, transB=1,
                            **own)
    yield model("fused_gemm", [node], [rows], result, [matrix])
    node = helper.make_node("FusedMatMul", ["x", "x"], ["y"], transBatchA=1, transA=1, transBatchB=1, **own)
    yield model("fused_matmul", [node], [info("x", floats, [3, "n", 3])], result)
    numbers = [helper.make_tensor("s", floats, [], [0.5]), helper.make_tensor("z", small, [], [3]),
               helper.make_tensor("b", small, [4, 4], list(range(16))), helper.make_tensor("t", floats, [4], [0.5] * 4)]
    a, made = info("a", small, ["n", 4]), [info("y", small, None)]
    quantised = {
        "QLinearAdd": (["a", "s", "z", "b", "s", "z", "s", "z"], {}),
        "QLinearConcat": (["s", "z", "a", "s", "z", "b", "s", "z"], {"axis": 0}),
        "QLinearSoftmax": (["a", "s", "z", "s", "z"], {"axis": -1, "opset": 11}),
        "QLinearLeakyRelu": (["a", "s", "z", "s", ""], {"alpha": 0.1}),
        "QGemm": (["a", "s", "z", "b", "t", "z", "", "s", "z"], {"transB": 1}),
        "MatMulIntegerToFloat": (["a", "b", "s", "t", "z", "z"], {}),
    }
    for name, (inputs, attributes) in quantised.items():
        yield model(name, [helper.make_node(name, inputs, ["y"], **own, **attributes)], [a], made, numbers)
    node = helper.make_node("DynamicQuantizeMatMul", ["x", "b", "t", "z"], ["y"], **own)
    yield model("dynamic_matmul", [node], [rows], result, numbers)
    yield from of_transformers()


def of_transformers():
    """Layers of `com.microsoft` with bytes, and embeddings; a region that is data: (name, bytes)."""
    info, floats, small, whole = helper.make_tensor_value_info, TensorProto.FLOAT, TensorProto.UINT8, TensorProto.INT32
    result, own = [info("y", floats, None)], {"domain": "com.microsoft"}
    scale, zero = helper.make_tensor("s", floats, [], [0.5]), helper.make_tensor("z", small, [], [3])
    weights = helper.make_tensor("w", small, [8, 24], [at % 251 for at in range(192)])
    bias = helper.make_tensor("b", floats, [24], [0.1] * 24)
    given = [info("a", small, ["batch", "steps", 8]), info("m", whole, ["batch"]),
             info("past", floats, [2, "batch", 2, "before", 4])]
    node = helper.make_node("QAttention", ["a", "w", "b", "s", "s", "m", "z", "z", "past"], ["y", "now"], num_heads=2,
                            unidirectional=1, **own)
    yield model("QAttention", [node], given, [*result, info("now", floats, None)], [weights, bias, scale, zero])
    both = [helper.make_tensor("w", small, [2, 5, 12], list(range(120))),
            helper.make_tensor("r", small, [2, 3, 12], list(range(72))),
            helper.make_tensor("s", floats, [2, 12], [0.01] * 24), helper.make_tensor("z", small, [2, 12], [9] * 24)]
    node = helper.make_node("DynamicQuantizeLSTM", ["x", "w", "r", "", "n", "", "", "", "s", "z", "s", "z"],
                            ["y", "", "c"], direction="bidirectional", hidden_size=3, **own)
    given = [info("x", floats, ["steps", 2, 5]), info("n", whole, [2])]
    yield model("DynamicQuantizeLSTM", [node], given, [*result, info("c", floats, None)], both)
    tables = [helper.make_tensor(name, floats, [size, 4], [0.1] * (4 * size))
              for name, size in [("words", 9), ("places", 6), ("kinds", 2)]]
    norm = [helper.make_tensor(name, floats, [4], [1.0] * 4) for name in ("gamma", "beta")]
    node = helper.make_node("EmbedLayerNormalization",
                            ["ids", "types", "words", "places", "kinds", "gamma", "beta", "m", "at"],
                            ["y", "count", "sum"], epsilon=1e-5, **own)
    given = [info(name, whole, ["batch", "steps"]) for name in ("ids", "types", "m", "at")]
    yield model("EmbedLayerNormalization", [node], given, result, tables + norm)
    sizes = helper.make_tensor("sizes", TensorProto.INT64, [4], [1, 2, 3, 5])
    node = helper.make_node("Resize", ["x", "roi", "", "sizes"], ["y"], mode="linear", extrapolation_value=1.0,
                            coordinate_transformation_mode="tf_crop_and_resize")
    yield model("region", [node], [info("x", floats, [1, 2, "h", "w"]), info("roi", floats, [8])], result, [sizes])


def messages(message):
    """A message and all that are in it."""
    yield message
    for field, content in message.ListFields():
        if field.cpp_type == field.CPPTYPE_MESSAGE:
            for inner in content if field.is_repeated else [content]:
                yield from messages(inner)


def clamped(field, number):
    """An integer as its field can hold it."""
    wide = 64 if field.cpp_type in (field.CPPTYPE_INT64, field.CPPTYPE_UINT64) else 32
    number &= 2**wide - 1
    signed = field.cpp_type not in (field.CPPTYPE_UINT32, field.CPPTYPE_UINT64)
    return number - 2**wide if signed and number >> (wide - 1) else number


def value(rng, field, old, words):
    """Another value of a field that holds no message; `words` are texts of the model."""
    if field.cpp_type in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
        return rng.choice(FLOATS + [-old, old + 1.0])
    if field.cpp_type == field.CPPTYPE_BOOL:
        return not old
    if field.type == field.TYPE_BYTES:
        if len(old) > 1 and rng.random() < 0.5:
            at = rng.randrange(len(old))
            return old[:at] + rng.choice([b"", rng.randbytes(1), old[at:] + old[at:]])
        return rng.choice(WORDS + words).encode()
    if field.cpp_type == field.CPPTYPE_STRING:
        return rng.choice(WORDS if rng.random() < 0.3 else words)
    if field.cpp_type == field.CPPTYPE_ENUM:
        return rng.choice([one.number for one in field.enum_type.values])
    return clamped(field, rng.choice(NUMBERS + [-1, -2, -(2**63), -old, old + 1, old - 1] + list(range(12))))


def change_list(rng, field, content, words):
    """A field of many elements: one gone, twice, at another place or with another value; none, or too many."""
    whole, way = list(content), rng.randrange(8)
    holds = field.cpp_type == field.CPPTYPE_MESSAGE
    if not whole or way == 0:
        if holds:
            content.add()
        else:
            nothing = b"" if field.type == field.TYPE_BYTES else 0
            content.append(value(rng, field, whole[-1] if whole else nothing, words))
        return
    at = rng.randrange(len(whole))
    if way == 1:
        del content[at]
    elif way == 2:
        del content[at:]
    elif way == 3:
        content.append(whole[at])
    elif way == 4 and len(whole) > 1:
        rng.shuffle(whole)
        copies = [type(one).FromString(one.SerializeToString()) for one in whole] if holds else whole
        del content[:]
        content.extend(copies)
    elif way == 5 and rng.random() < 0.1:
        content.extend([whole[at]] * LONG)
    elif holds:
        change_message(rng, whole[at], words)
    else:
        content[at] = value(rng, field, whole[at], words)


def change_message(rng, message, words):
    """One field of a message becomes another: mostly one that it has."""
    fields = [field for field, _ in message.ListFields()]
    if not fields or rng.random() < 0.15:
        fields = list(message.DESCRIPTOR.fields)
    field = rng.choice(fields)
    if field.is_repeated:
        change_list(rng, field, getattr(message, field.name), words)
    elif rng.random() < 0.15:
        message.ClearField(field.name)
    elif field.cpp_type == field.CPPTYPE_MESSAGE:
        inner = getattr(message, field.name)
        inner.SetInParent()
        change_message(rng, inner, words)
    else:
        setattr(message, field.name, value(rng, field, getattr(message, field.name), words))


def texts(message):
    """Names, modes and the like that stand in a model."""
    for part in messages(message):
        for field, content in part.ListFields():
            if field.cpp_type == field.CPPTYPE_STRING and field.name not in ("doc_string", "raw_data"):
                for text in content if field.is_repeated else [content]:
                    yield text.decode("utf-8", "replace") if isinstance(text, bytes) else text


def change(rng, data):
    """A model with one to three of its fields changed; each kind of message is as likely as any other."""
    whole = ModelProto.FromString(data)
    words = sorted(set(texts(whole))) or WORDS
    for _ in range(rng.randint(1, 3)):
        kinds = {}
        for part in messages(whole):
            kinds.setdefault(type(part).__name__, []).append(part)
        change_message(rng, rng.choice(kinds[rng.choice(sorted(kinds))]), words)
    return whole.SerializeToString()
