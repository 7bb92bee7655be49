"""Ops of linalg on tensors and their neighbours as text, with numpy's and torch's answers."""

import numpy as np
import torch
import torch.nn.functional as F

RNG = np.random.default_rng(11)


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def whole(dtype, *shape, low=None, high=None):
    info = np.iinfo(dtype)
    return RNG.integers(info.min if low is None else low, info.max + 1 if high is None else high, shape).astype(dtype)


CONVOLUTIONS = """func.func @main(%x: tensor<2x9x8x6xf32>, %k: tensor<3x2x6x5xf32>, %d: tensor<2x3x6x2xf32>, %g: tensor<2x2x3x7x9xf32>, %w: tensor<2x4x3x3x2xf32>, %i: tensor<2x9x8x6xi8>, %j: tensor<3x2x6x5xi8>)
    -> (tensor<2x3x7x5xf32>, tensor<2x4x6x6x2xf32>, tensor<2x2x4x3x8xf32>, tensor<2x7x7x5xi32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x3x7x5xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2x3x7x5xf32>) -> tensor<2x3x7x5xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[2, 1]> : tensor<2xi64>} ins(%x, %k : tensor<2x9x8x6xf32>, tensor<3x2x6x5xf32>) outs(%f0 : tensor<2x3x7x5xf32>) -> tensor<2x3x7x5xf32>
  %one = arith.constant dense<1.0> : tensor<2x4x6x6x2xf32>
  %1 = linalg.depthwise_conv_2d_nhwc_hwcm {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %d : tensor<2x9x8x6xf32>, tensor<2x3x6x2xf32>) outs(%one : tensor<2x4x6x6x2xf32>) -> tensor<2x4x6x6x2xf32>
  %e2 = tensor.empty() : tensor<2x2x4x3x8xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x2x4x3x8xf32>) -> tensor<2x2x4x3x8xf32>
  %2 = linalg.conv_2d_ngchw_gfchw {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%g, %w : tensor<2x2x3x7x9xf32>, tensor<2x4x3x3x2xf32>) outs(%f2 : tensor<2x2x4x3x8xf32>) -> tensor<2x2x4x3x8xf32>
  %zi = arith.constant 3 : i32
  %zk = arith.constant -2 : i32
  %start = arith.constant dense<7> : tensor<2x7x7x5xi32>
  %3 = linalg.conv_2d_nhwc_hwcf_q {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%i, %j, %zi, %zk : tensor<2x9x8x6xi8>, tensor<3x2x6x5xi8>, i32, i32) outs(%start : tensor<2x7x7x5xi32>) -> tensor<2x7x7x5xi32>
  return %0, %1, %2, %3 : tensor<2x3x7x5xf32>, tensor<2x4x6x6x2xf32>, tensor<2x2x4x3x8xf32>, tensor<2x7x7x5xi32>
}
"""


def conv(x, k, **kw):
    """NHWC images, HWCF kernels, in f64."""
    x, k = torch.from_numpy(x.astype(np.float64)).movedim(-1, 1), torch.from_numpy(k.astype(np.float64)).permute(3, 2, 0, 1)
    return F.conv2d(x, k, **kw).movedim(1, -1).numpy()


def convolutions():
    x, k, d = normal(2, 9, 8, 6), normal(3, 2, 6, 5), normal(2, 3, 6, 2)
    g, w = normal(2, 2, 3, 7, 9), normal(2, 4, 3, 3, 2)
    i, j = whole(np.int8, 2, 9, 8, 6), whole(np.int8, 3, 2, 6, 5)
    deep = conv(x, d.transpose(0, 1, 2, 3).reshape(2, 3, 1, 12), stride=(2, 1), groups=6).reshape(2, 4, 6, 6, 2) + 1
    grouped = F.conv2d(torch.from_numpy(g.reshape(2, 6, 7, 9)), torch.from_numpy(w.reshape(8, 3, 3, 2)), stride=(2, 1), groups=2)
    exact = conv(i.astype(np.int64) - 3, j.astype(np.int64) + 2) + 7
    return CONVOLUTIONS, [x, k, d, g, w, i, j], [
        conv(x, k, stride=(2, 1), dilation=(2, 1)).astype(np.float32), deep.astype(np.float32), grouped.numpy().reshape(2, 2, 4, 3, 8), exact.astype(np.int32)]


POOLS = """func.func @main(%x: tensor<2x3x9x8xf32>, %y: tensor<2x7x9x3xi32>) -> (tensor<2x3x4x3xf32>, tensor<2x3x7x6xf32>, tensor<2x3x4x3xi32>, tensor<2x7x4xi32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.5 : f32
  %w = tensor.empty() : tensor<3x2xf32>
  %e0 = tensor.empty() : tensor<2x3x4x3xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
  %0 = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>} ins(%x, %w : tensor<2x3x9x8xf32>, tensor<3x2xf32>) outs(%f0 : tensor<2x3x4x3xf32>) -> tensor<2x3x4x3xf32>
  %w1 = tensor.empty() : tensor<3x3xf32>
  %e1 = tensor.empty() : tensor<2x3x7x6xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x3x7x6xf32>) -> tensor<2x3x7x6xf32>
  %1 = linalg.pooling_nchw_sum {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w1 : tensor<2x3x9x8xf32>, tensor<3x3xf32>) outs(%f1 : tensor<2x3x7x6xf32>) -> tensor<2x3x7x6xf32>
  %wi = tensor.empty() : tensor<3x3xi32>
  %start = arith.constant dense<100> : tensor<2x3x4x3xi32>
  %2 = linalg.pooling_nhwc_min_unsigned {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%y, %wi : tensor<2x7x9x3xi32>, tensor<3x3xi32>) outs(%start : tensor<2x3x4x3xi32>) -> tensor<2x3x4x3xi32>
  %few = tensor.empty() : tensor<3xi32>
  %none = arith.constant dense<0> : tensor<2x7x4xi32>
  // Windows of the middle dimension and sums of the last one at once.
  %3 = linalg.generic {indexing_maps = [affine_map<(n, h, o, k, c) -> (n, h, o * 2 + k, c)>, affine_map<(n, h, o, k, c) -> (k)>, affine_map<(n, h, o, k, c) -> (n, h, o)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%y, %few : tensor<2x7x9x3xi32>, tensor<3xi32>) outs(%none : tensor<2x7x4xi32>) {
  ^bb0(%in: i32, %u: i32, %acc: i32):
    %s = arith.addi %acc, %in : i32
    linalg.yield %s : i32
  } -> tensor<2x7x4xi32>
  return %0, %1, %2, %3 : tensor<2x3x4x3xf32>, tensor<2x3x7x6xf32>, tensor<2x3x4x3xi32>, tensor<2x7x4xi32>
}
"""


def pools():
    x, y = normal(2, 3, 9, 8), whole(np.int32, 2, 7, 9, 3, low=-50, high=150)
    t = torch.from_numpy(x)
    sums = F.avg_pool2d(t.double(), 3, 1) * 9 + 0.5
    u = y.view(np.uint32).astype(np.int64)
    least = np.minimum(100, -F.max_pool2d(torch.from_numpy(-u.astype(np.float64)).movedim(-1, 1), 3, 2).movedim(1, -1).numpy())
    both = np.stack([y[:, :, 2 * o:2 * o + 3].sum((2, 3)) for o in range(4)], 2)
    return POOLS, [x, y], [F.max_pool2d(t, (3, 2), 2, dilation=(1, 2)).numpy(), sums.float().numpy(), least.astype(np.uint32).view(np.int32), both.astype(np.int32)]


PRODUCTS = """func.func @main(%a: tensor<3x5x7xf32>, %b: tensor<3x7x4xf32>, %v: tensor<7xf32>, %c: tensor<3x5x4xf32>, %h: tensor<5x7xf16>, %q: tensor<7x4xf16>, %i: tensor<5x7xi8>, %j: tensor<7x4xi8>, %r: tensor<3x3xf32>)
    -> (tensor<3x5x4xf32>, tensor<4x3xf32>, tensor<f32>, tensor<5x4xf32>, tensor<5x4xi32>, tensor<7x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.batch_matmul ins(%a, %b : tensor<3x5x7xf32>, tensor<3x7x4xf32>) outs(%c : tensor<3x5x4xf32>) -> tensor<3x5x4xf32>
  %e1 = tensor.empty() : tensor<4x3xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(n, j, k) -> (k)>, affine_map<(n, j, k) -> (n, k, j)>, affine_map<(n, j, k) -> (j, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v, %b : tensor<7xf32>, tensor<3x7x4xf32>) outs(%f1 : tensor<4x3xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4x3xf32>
  %e2 = tensor.empty() : tensor<f32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<f32>) -> tensor<f32>
  %2 = linalg.dot ins(%v, %v : tensor<7xf32>, tensor<7xf32>) outs(%f2 : tensor<f32>) -> tensor<f32>
  %e3 = tensor.empty() : tensor<5x4xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<5x4xf32>) -> tensor<5x4xf32>
  %3 = linalg.matmul ins(%h, %q : tensor<5x7xf16>, tensor<7x4xf16>) outs(%f3 : tensor<5x4xf32>) -> tensor<5x4xf32>
  %izero = arith.constant 0 : i32
  %zi = arith.constant 5 : i32
  %zj = arith.constant -9 : i32
  %e4 = tensor.empty() : tensor<5x4xi32>
  %f4 = linalg.fill ins(%izero : i32) outs(%e4 : tensor<5x4xi32>) -> tensor<5x4xi32>
  %4 = linalg.quantized_matmul ins(%i, %j, %zi, %zj : tensor<5x7xi8>, tensor<7x4xi8>, i32, i32) outs(%f4 : tensor<5x4xi32>) -> tensor<5x4xi32>
  // A diagonal and a reversed order.
  %e5 = tensor.empty() : tensor<7x3xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, 4, i)>, affine_map<(i, j) -> (j, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %r : tensor<3x5x7xf32>, tensor<3x3xf32>) outs(%e5 : tensor<7x3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %six = arith.constant 6 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %back = arith.subi %six, %i0 : index
    %z = tensor.extract %b[%i1, %back, %i1] : tensor<3x7x4xf32>
    %s = arith.subf %x, %y : f32
    %t = arith.addf %s, %z : f32
    linalg.yield %t : f32
  } -> tensor<7x3xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<3x5x4xf32>, tensor<4x3xf32>, tensor<f32>, tensor<5x4xf32>, tensor<5x4xi32>, tensor<7x3xf32>
}
"""


def products():
    a, b, v, c = normal(3, 5, 7), normal(3, 7, 4), normal(7), normal(3, 5, 4)
    h, q = normal(5, 7).astype(np.float16), normal(7, 4).astype(np.float16)
    i, j = whole(np.int8, 5, 7), whole(np.int8, 7, 4)
    r, last = normal(3, 3), np.empty((7, 3), np.float32)
    for x in range(7):
        for y in range(3):
            last[x, y] = a[y, 4, x] - r[y, y] + b[y, 6 - x, y]
    return PRODUCTS, [a, b, v, c, h, q, i, j, r], [
        a @ b + c, np.einsum("k,nkj->jn", v, b), np.float32(v @ v), h.astype(np.float32) @ q.astype(np.float32),
        (i.astype(np.int32) - 5) @ (j.astype(np.int32) + 9), last]


REDUCTIONS = """func.func @main(%x: tensor<4x7x3xf32>, %n: tensor<4x7xi32>) -> (tensor<4x3xf32>, tensor<4x3xi64>, tensor<4xi32>, tensor<4xf32>, tensor<3xf32>, tensor<4xi32>, tensor<4xi1>, tensor<4x7x3xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %i0 = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<4x3xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<4x3xf32>) -> tensor<4x3xf32>
  %e1 = tensor.empty() : tensor<4x3xi64>
  %f1 = linalg.fill ins(%i0 : i64) outs(%e1 : tensor<4x3xi64>) -> tensor<4x3xi64>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, k)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%x : tensor<4x7x3xf32>) outs(%f0, %f1 : tensor<4x3xf32>, tensor<4x3xi64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %m = arith.maximumf %in, %best : f32
    %g = arith.cmpf ogt, %in, %best : f32
    %k = arith.select %g, %j, %at : i64
    linalg.yield %m, %k : f32, i64
  } -> (tensor<4x3xf32>, tensor<4x3xi64>)
  %start = arith.constant dense<[1, -5, 7, 100000]> : tensor<4xi32>
  %1 = linalg.reduce ins(%n : tensor<4x7xi32>) outs(%start : tensor<4xi32>) dimensions = [1] (%in: i32, %acc: i32) {
    %s = arith.maxsi %in, %acc : i32
    linalg.yield %s : i32
  }
  // The order matters here: a decaying sum, element after element.
  %e2 = tensor.empty() : tensor<4xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
  %half = arith.constant 0.5 : f32
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : tensor<4x7x3xf32>) outs(%f2 : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %d = arith.mulf %acc, %half : f32
    %k = linalg.index 2 : index
    %kk = arith.index_cast %k : index to i32
    %kf = arith.sitofp %kk : i32 to f32
    %p = arith.addf %in, %kf : f32
    %s = arith.addf %d, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %e3 = tensor.empty() : tensor<3xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>], iterator_types = ["reduction", "reduction", "parallel"]} ins(%x : tensor<4x7x3xf32>) outs(%f3 : tensor<3xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %sq = arith.mulf %in, %in : f32
    %s = arith.addf %sq, %acc : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %e4 = tensor.empty() : tensor<4xi32>
  %ones = arith.constant dense<-1> : tensor<4xi32>
  %4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%n : tensor<4x7xi32>) outs(%ones : tensor<4xi32>) {
  ^bb0(%in: i32, %acc: i32):
    %s = arith.minui %in, %acc : i32
    linalg.yield %s : i32
  } -> tensor<4xi32>
  %no = arith.constant dense<false> : tensor<4xi1>
  %limit = arith.constant 40 : i32
  %5 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%n : tensor<4x7xi32>) outs(%no : tensor<4xi1>) {
  ^bb0(%in: i32, %acc: i1):
    %t = arith.cmpi sgt, %in, %limit : i32
    %s = arith.ori %t, %acc : i1
    linalg.yield %s : i1
  } -> tensor<4xi1>
  %e6 = tensor.empty() : tensor<4x7x3xf32>
  %6 = linalg.softmax dimension(1) ins(%x : tensor<4x7x3xf32>) outs(%e6 : tensor<4x7x3xf32>) -> tensor<4x7x3xf32>
  return %0#0, %0#1, %1, %2, %3, %4, %5, %6 : tensor<4x3xf32>, tensor<4x3xi64>, tensor<4xi32>, tensor<4xf32>, tensor<3xf32>, tensor<4xi32>, tensor<4xi1>, tensor<4x7x3xf32>
}
"""


def reductions():
    x, n = normal(4, 7, 3), whole(np.int32, 4, 7, low=-50, high=50)
    x[2, 1, 0] = x[2, 4, 0] = 9
    decayed = np.zeros(4, np.float32)
    for j in range(7):
        for k in range(3):
            decayed = decayed * np.float32(0.5) + (x[:, j, k] + np.float32(k))
    powers = np.exp(x - x.max(1, keepdims=True))
    start = np.array([1, -5, 7, 100000], np.int32)
    return REDUCTIONS, [x, n], [
        x.max(1), x.argmax(1), np.maximum(n.max(1), start), decayed, (x.astype(np.float64) ** 2).sum((0, 1)).astype(np.float32),
        n.view(np.uint32).min(1).view(np.int32), (n > 40).any(1), powers / powers.sum(1, keepdims=True)]


TENSORS = """func.func @main(%x: tensor<4x5x6xf32>, %i: tensor<2xi64>, %s: tensor<2x3x2xf32>) -> (tensor<2x3x2xf32>, tensor<4x5x6xf32>, tensor<4x5x6xf32>, tensor<5x7x9xf32>, tensor<3x4xi32>, tensor<20x2x3xf32>, tensor<4x9x6xf32>, tensor<3xf32>, tensor<4x5x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.extract %i[%c0] : tensor<2xi64>
  %at = arith.index_cast %a : i64 to index
  %0 = tensor.extract_slice %x[1, %at, 1] [2, 3, 2] [1, 1, 2] : tensor<4x5x6xf32> to tensor<2x3x2xf32>
  %1 = tensor.insert_slice %s into %x[0, 1, 1] [2, 3, 2] [2, 1, 3] : tensor<2x3x2xf32> into tensor<4x5x6xf32>
  %2 = tensor.insert_slice %s into %x[1, %at, 4] [2, 3, 2] [1, 1, 1] : tensor<2x3x2xf32> into tensor<4x5x6xf32>
  %3 = tensor.pad %x low[0, 2, 1] high[1, 0, 2] {
  ^bb0(%p: index, %q: index, %r: index):
    %m = arith.muli %p, %r : index
    %n = arith.index_cast %m : index to i32
    %f = arith.sitofp %n : i32 to f32
    tensor.yield %f : f32
  } : tensor<4x5x6xf32> to tensor<5x7x9xf32>
  %4 = tensor.generate {
  ^bb0(%p: index, %q: index):
    %three = arith.constant 3 : index
    %d = arith.floordivsi %q, %three : index
    %m = arith.addi %p, %d : index
    %n = arith.index_cast %m : index to i32
    tensor.yield %n : i32
  } : tensor<3x4xi32>
  %5 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x5x6xf32> into tensor<20x6xf32>
  %6 = tensor.expand_shape %5 [[0], [1, 2]] output_shape [20, 2, 3] : tensor<20x6xf32> into tensor<20x2x3xf32>
  %part = tensor.extract_slice %x[0, 1, 0] [4, 4, 6] [1, 1, 1] : tensor<4x5x6xf32> to tensor<4x4x6xf32>
  %7 = tensor.concat dim(1) %part, %x : (tensor<4x4x6xf32>, tensor<4x5x6xf32>) -> tensor<4x9x6xf32>
  %e = tensor.extract %x[%c1, %c1, %at] : tensor<4x5x6xf32>
  %g = arith.addf %e, %e : f32
  %8 = tensor.from_elements %e, %g, %e : tensor<3xf32>
  %9 = tensor.insert %g into %x[%at, %c0, %c1] : tensor<4x5x6xf32>
  return %0, %1, %2, %3, %4, %6, %7, %8, %9 : tensor<2x3x2xf32>, tensor<4x5x6xf32>, tensor<4x5x6xf32>, tensor<5x7x9xf32>, tensor<3x4xi32>, tensor<20x2x3xf32>, tensor<4x9x6xf32>, tensor<3xf32>, tensor<4x5x6xf32>
}
"""


def tensors():
    x, s, at = normal(4, 5, 6), normal(2, 3, 2), 1
    one, two, last = x.copy(), x.copy(), x.copy()
    one[0:4:2, 1:4, 1:7:3] = s
    two[1:3, at:at + 3, 4:6] = s
    around = np.fromfunction(lambda p, q, r: p * r, (5, 7, 9)).astype(np.float32)
    around[0:4, 2:7, 1:7] = x
    e = x[1, 1, at]
    last[at, 0, 1] = e + e
    return TENSORS, [x, np.array([at, 3]), s], [
        x[1:3, at:at + 3, 1:4:2], one, two, around, np.fromfunction(lambda p, q: p + q // 3, (3, 4)).astype(np.int32), x.reshape(20, 2, 3),
        np.concatenate([x[:, 1:], x], 1), np.array([e, e + e, e], np.float32), last]


CONTROL = """module {
  ml_program.global private mutable @seed(dense<41> : tensor<i64>) : tensor<i64>
  func.func @main(%x: tensor<3x4xf32>, %n: tensor<i64>) -> (tensor<3x4xf32>, tensor<i64>, tensor<3x4xf32>, tensor<3xf32>, tensor<i64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0 : i64
    %two = arith.constant 2 : i64
    %old = ml_program.global_load @seed : tensor<i64>
    %o = tensor.extract %old[] : tensor<i64>
    %more = arith.addi %o, %two : i64
    %box = tensor.from_elements %more : tensor<i64>
    ml_program.global_store @seed = %box : tensor<i64>
    %new = ml_program.global_load @seed : tensor<i64>
    %k = tensor.extract %n[] : tensor<i64>
    %ok = arith.cmpi sge, %k, %zero : i64
    cf.assert %ok, "not negative"
    %even = arith.remsi %k, %two : i64
    %is = arith.cmpi eq, %even, %zero : i64
    %0 = scf.if %is -> (tensor<3x4xf32>) {
      %s = arith.addf %x, %x : tensor<3x4xf32>
      scf.yield %s : tensor<3x4xf32>
    } else {
      %s = arith.negf %x : tensor<3x4xf32>
      scf.yield %s : tensor<3x4xf32>
    }
    // Collatz: the steps to one.
    %1:2 = scf.while (%v = %k, %c = %zero) : (i64, i64) -> (i64, i64) {
      %one = arith.constant 1 : i64
      %go = arith.cmpi sgt, %v, %one : i64
      scf.condition(%go) %v, %c : i64, i64
    } do {
    ^bb0(%v: i64, %c: i64):
      %one = arith.constant 1 : i64
      %three = arith.constant 3 : i64
      %h = arith.divsi %v, %two : i64
      %t = arith.muli %v, %three : i64
      %u = arith.addi %t, %one : i64
      %r = arith.remsi %v, %two : i64
      %e = arith.cmpi eq, %r, %zero : i64
      %w = arith.select %e, %h, %u : i64
      %d = arith.addi %c, %one : i64
      scf.yield %w, %d : i64, i64
    }
    %steps = tensor.from_elements %1#1 : tensor<i64>
    %start = arith.constant dense<0.0> : tensor<3xf32>
    %2:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %start) -> (tensor<3x4xf32>, tensor<3xf32>) {
      %row = tensor.extract_slice %a[%i, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<4xf32>
      %twice = arith.addf %row, %row : tensor<4xf32>
      %in = tensor.insert_slice %twice into %a[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<3x4xf32>
      %first = tensor.extract %twice[%i] : tensor<4xf32>
      %list = tensor.insert %first into %b[%i] : tensor<3xf32>
      scf.yield %in, %list : tensor<3x4xf32>, tensor<3xf32>
    }
    return %0, %steps, %2#0, %2#1, %new : tensor<3x4xf32>, tensor<i64>, tensor<3x4xf32>, tensor<3xf32>, tensor<i64>
  }
}
"""


def control():
    x, k = normal(3, 4), 27
    v, steps = k, 0
    while v > 1:
        v, steps = (v // 2 if v % 2 == 0 else 3 * v + 1), steps + 1
    return CONTROL, [x, np.array(k)], [-x, np.array(steps), x + x, np.diagonal(x + x), np.array(43)]


SCALARS = """#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<9xf32>, %y: tensor<9xf32>, %n: tensor<9xi32>, %m: tensor<9xi32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi1>, tensor<9xi32>, tensor<9xf32>, tensor<9xi8>) {
  %ef = tensor.empty() : tensor<9xf32>
  %ei = tensor.empty() : tensor<9xi32>
  %eb = tensor.empty() : tensor<9xi1>
  %e8 = tensor.empty() : tensor<9xi8>
  %0:10 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id], iterator_types = ["parallel"]}
    ins(%x, %y, %n, %m : tensor<9xf32>, tensor<9xf32>, tensor<9xi32>, tensor<9xi32>)
    outs(%ef, %ef, %ef, %ei, %ei, %ei, %eb, %ei, %ef, %e8 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi1>, tensor<9xi32>, tensor<9xf32>, tensor<9xi8>) {
  ^bb0(%a: f32, %b: f32, %p: i32, %q: i32, %o0: f32, %o1: f32, %o2: f32, %o3: i32, %o4: i32, %o5: i32, %o6: i1, %o7: i32, %o8: f32, %o9: i8):
    %c = math.copysign %a, %b : f32
    %t = math.trunc %a : f32
    %d = arith.maxnumf %a, %b : f32
    %f = arith.floordivsi %p, %q : i32
    %g = arith.ceildivsi %p, %q : i32
    %h = arith.divui %p, %q : i32
    %u = arith.cmpf ult, %a, %b : f32
    %z = math.cttz %p : i32
    %w = arith.uitofp %p : i32 to f32
    %k = arith.trunci %p : i32 to i8
    linalg.yield %c, %t, %d, %f, %g, %h, %u, %z, %w, %k : f32, f32, f32, i32, i32, i32, i1, i32, f32, i8
  } -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi1>, tensor<9xi32>, tensor<9xf32>, tensor<9xi8>)
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8, %0#9 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi1>, tensor<9xi32>, tensor<9xf32>, tensor<9xi8>
}
"""


def scalars():
    x = np.array([1.5, -2.5, np.nan, 0.0, -0.0, np.inf, -7.25, 3.0, np.nan], np.float32)
    y = np.array([-1.0, 2.0, 5.0, -0.0, 0.0, np.nan, -7.5, 3.0, np.nan], np.float32)
    n, m = np.array([7, -7, 7, -7, 0, 12, -2147483648, 2147483647, -1], np.int32), np.array([2, 2, -2, -2, 5, 4, 2, -3, 3], np.int32)
    wide, other = n.astype(np.int64), m.astype(np.int64)
    zeros = np.array([32 if v == 0 else (int(v) & -int(v)).bit_length() - 1 for v in n], np.int32)
    return SCALARS, [x, y, n, m], [
        np.copysign(x, y), np.trunc(x), np.fmax(x, y), (wide // other).astype(np.int32), (-(-wide // other)).astype(np.int32),
        (n.view(np.uint32) // m.view(np.uint32)).view(np.int32), ~(x >= y), zeros, n.view(np.uint32).astype(np.float32), n.astype(np.int8)]


ROUNDS = """func.func @main(%x: tensor<3x40xf32>, %a: tensor<2x5x5xf32>) -> (tensor<7x3x16xf32>, tensor<2x5x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c40 = arith.constant 40 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  %none = tensor.empty() : tensor<7x3x16xf32>
  %0 = scf.for %i = %c0 to %c7 step %c1 iter_args(%all = %none) -> (tensor<7x3x16xf32>) {
    %start = arith.muli %i, %c4 : index
    %end = arith.addi %start, %c16 : index
    %limit = arith.minsi %end, %c40 : index
    %size = arith.subi %limit, %start : index
    %rest = arith.subi %c16, %size : index
    %s = tensor.extract_slice %x[0, %start] [3, %size] [1, 1] : tensor<3x40xf32> to tensor<3x?xf32>
    %p = tensor.pad %s low[0, 0] high[0, %rest] {
    ^bb0(%r: index, %c: index):
      tensor.yield %zero : f32
    } : tensor<3x?xf32> to tensor<3x16xf32>
    %next = tensor.insert_slice %p into %all[%i, 0, 0] [1, 3, 16] [1, 1, 1] : tensor<3x16xf32> into tensor<7x3x16xf32>
    scf.yield %next : tensor<7x3x16xf32>
  }
  %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %a) -> (tensor<2x5x5xf32>) {
    %row = arith.addi %i, %c1 : index
    %left = arith.subi %c4, %i : index
    %pivot = tensor.extract_slice %m[0, %i, %i] [2, 1, 1] [1, 1, 1] : tensor<2x5x5xf32> to tensor<2xf32>
    %top = tensor.extract_slice %m[0, %i, 0] [2, 1, 5] [1, 1, 1] : tensor<2x5x5xf32> to tensor<2x5xf32>
    %column = tensor.extract_slice %m[0, %row, %i] [2, %left, 1] [1, 1, 1] : tensor<2x5x5xf32> to tensor<2x?xf32>
    %below = tensor.extract_slice %m[0, %row, 0] [2, %left, 5] [1, 1, 1] : tensor<2x5x5xf32> to tensor<2x?x5xf32>
    %made = linalg.generic {indexing_maps = [affine_map<(b, r, c) -> (b)>, affine_map<(b, r, c) -> (b, c)>, affine_map<(b, r, c) -> (b, r)>, affine_map<(b, r, c) -> (b, r, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%pivot, %top, %column : tensor<2xf32>, tensor<2x5xf32>, tensor<2x?xf32>) outs(%below : tensor<2x?x5xf32>) {
    ^bb0(%p: f32, %t: f32, %c: f32, %o: f32):
      %f = arith.divf %c, %p : f32
      %g = arith.mulf %f, %t : f32
      %h = arith.subf %o, %g : f32
      linalg.yield %h : f32
    } -> tensor<2x?x5xf32>
    %next = tensor.insert_slice %made into %m[0, %row, 0] [2, %left, 5] [1, 1, 1] : tensor<2x?x5xf32> into tensor<2x5x5xf32>
    scf.yield %next : tensor<2x5x5xf32>
  }
  return %0, %1 : tensor<7x3x16xf32>, tensor<2x5x5xf32>
}
"""


def rounds():
    """Sizes in counted loops: the same in every round, and others in each (elimination without pivots)."""
    x, a = normal(3, 40), (normal(2, 5, 5) + 4 * np.eye(5)).astype(np.float32)
    frames = np.stack([x[:, 4 * i:4 * i + 16] for i in range(7)])
    made = a.astype(np.float64)
    for i in range(4):
        made[:, i + 1:] -= made[:, i + 1:, i:i + 1] / made[:, i:i + 1, i:i + 1] * made[:, i:i + 1]
    return ROUNDS, [x, a], [frames, made.astype(np.float32)]


CASES = {"convolutions": convolutions, "pools": pools, "products": products, "reductions": reductions, "tensors": tensors, "control": control,
         "scalars": scalars, "rounds": rounds}
