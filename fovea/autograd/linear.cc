#include "fovea/autograd/linear.h"

#include "fovea/autograd/matrix.h"
#include "fovea/base/check.h"
#include "fovea/kernels/function.h"
#include "fovea/kernels/gemm.h"
#include "fovea/kernels/quantized.h"
#include "fovea/kernels/reduce.h"

namespace fovea {
namespace {

using kernels::Function;
using kernels::gemm;

void check_matrix(const char* op, const char* name, const Var& x) {
  check(x.shape().rank() == 2, op, ": ", name, " of shape ", x.shape(),
        " is not a matrix");
}

void check_linear(const Var& x, int64_t in, int64_t out, const Var& bias) {
  check_matrix("linear", "x", x);
  check(x.dim(1) == in, "linear: x of shape ", x.shape(), " for a weight with ",
        in, " inputs");
  check(!bias || bias.shape() == Shape({out}), "linear: a bias of shape ",
        bias ? bias.shape() : Shape(), " for ", out, " outputs");
}

std::span<const float> span_of(const Var& bias) {
  if (!bias) return {};
  return bias.value().span();
}

Function function_of(Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return Function::kRelu;
    case Activation::kGelu:
      return Function::kGelu;
    case Activation::kTanh:
      return Function::kTanh;
    default:
      return Function::kSigmoid;
  }
}

// What the derivative of an activation is computed from; empty for none.
struct Kept {
  Activation activation;
  Tensor tensor;
};

// The result, and what backward needs of it.
struct Forward {
  Tensor y;
  Kept kept;
};

// `product` writes x weight^T + bias, and with an activation that of it.
template <class Product>
Forward multiply(const Shape& shape, Activation activation, bool keep,
                 const Product& product) {
  Tensor y(shape);
  const bool apart = keep && activation != Activation::kNone &&
                     !derivative_uses_result(function_of(activation));
  product(matrix(y), apart ? Activation::kNone : activation);
  if (!keep || activation == Activation::kNone) return {y, {activation, {}}};
  if (!apart) return {y, {activation, y}};
  Tensor z = y;
  y = Tensor(z.shape());
  apply(function_of(activation), z.span(), y.span());
  return {y, {activation, z}};
}

// The gradient before the activation.
Tensor through_activation(const Kept& kept, const Tensor& dy) {
  if (kept.activation == Activation::kNone) return dy;
  Tensor dz(dy.shape());  // dy may be someone else's too
  apply_backward(function_of(kept.activation), kept.tensor.span(), dy.span(),
                 dz.span(), false);
  return dz;
}

// target = op(a) op(b), or += it.
void give(const Grad& grad, const Tensor& a, const Tensor& b,
          Transposes transposes) {
  if (!grad) return;
  const auto [tensor, accumulate] = grad.target();
  gemm(matrix(a), matrix(b), matrix(tensor),
       {.transpose_a = transposes.a,
        .transpose_b = transposes.b,
        .accumulate = accumulate});
}

// That of a bias, if there is one, is the third.
void give_bias(Grads dx, const Tensor& dz) {
  if (dx.size() < 3 || !dx[2]) return;
  const auto [tensor, accumulate] = dx[2].target();
  kernels::column_sums(matrix(dz), tensor.span(), accumulate);
}

}  // namespace

Var linear(const Var& x, const Var& weight, const Var& bias,
           Activation activation) {
  check_matrix("linear", "a weight", weight);
  check_linear(x, weight.dim(1), weight.dim(0), bias);
  const Tensor in = x.value(), w = weight.value();
  const auto [y, kept] = multiply(
      {in.dim(0), w.dim(0)}, activation, recording({x, weight, bias}),
      [&](kernels::MatrixView to, Activation with) {
        gemm(matrix(in), matrix(w), to,
             {.transpose_b = true, .bias = span_of(bias), .activation = with});
      });
  const auto backward = [in, w, kept = kept](const Tensor& dy, Grads dx) {
    const Tensor dz = through_activation(kept, dy);
    give(dx[0], dz, w, {});
    give(dx[1], dz, in, {.a = true});
    give_bias(dx, dz);
  };
  return bias ? record(y, {x, weight, bias}, backward)
              : record(y, {x, weight}, backward);
}

std::shared_ptr<const LoopWeight> loop_weight(const Var& weight) {
  check_matrix("linear", "a weight", weight);
  auto loop = std::make_shared<LoopWeight>();
  const kernels::MatrixView w = matrix(weight.value());
  loop->forward = kernels::PackedMatrix::from_out_in(w);
  if (!recording({weight})) return loop;
  loop->backward = kernels::PackedMatrix::from_in_out(w);
  loop->weight = DeferredWeight(weight);
  return loop;
}

Var linear(const Var& x, const std::shared_ptr<const LoopWeight>& weight,
           const Var& bias, Activation activation) {
  const kernels::WeightMatrix& w = weight->forward;
  const Var node = weight->weight ? weight->weight.node() : Var();
  if (!recording({x, node, bias})) return linear(x, w, bias, activation);
  check(static_cast<bool>(weight->weight),
        "linear: a loop's weight was made in a NoGrad scope");
  check_linear(x, w.in(), w.out(), bias);
  const Tensor in = x.value();
  const auto [y, kept] = multiply(
      {in.dim(0), w.out()}, activation, true,
      [&](kernels::MatrixView to, Activation with) {
        w.multiply(matrix(in), to, {.bias = span_of(bias), .activation = with});
      });
  const auto backward = [in, weight_ = weight, kept = kept](const Tensor& dy,
                                                            Grads dx) {
    const Tensor dz = through_activation(kept, dy);
    if (dx[0]) {
      const auto [tensor, accumulate] = dx[0].target();
      weight_->backward.multiply(matrix(dz), matrix(tensor),
                                 {.accumulate = accumulate});
    }
    weight_->weight.later().add(dx[1], {in, dz});
    give_bias(dx, dz);
  };
  return bias ? record(y, {x, node, bias}, backward)
              : record(y, {x, node}, backward);
}

Var linear(const Var& x, const kernels::WeightMatrix& weight, const Var& bias,
           Activation activation) {
  check_linear(x, weight.in(), weight.out(), bias);
  check(!recording({x}),
        "linear: a packed weight has no gradient; open a NoGrad scope");
  Tensor y({x.dim(0), weight.out()});
  weight.multiply(matrix(x.value()), matrix(y),
                  {.bias = span_of(bias), .activation = activation});
  return y;
}

Var matmul(const Var& a, const Var& b, Transposes t) {
  check_matrix("matmul", "a", a);
  check_matrix("matmul", "b", b);
  check(a.dim(t.a ? 0 : 1) == b.dim(t.b ? 1 : 0), "matmul: shapes ", a.shape(),
        t.a ? " transposed" : "", " and ", b.shape(), t.b ? " transposed" : "",
        " do not fit");
  const Tensor va = a.value(), vb = b.value();
  Tensor c({a.dim(t.a ? 1 : 0), b.dim(t.b ? 0 : 1)});
  gemm(matrix(va), matrix(vb), matrix(c),
       {.transpose_a = t.a, .transpose_b = t.b});
  return record(c, {a, b}, [va, vb, t](const Tensor& dc, Grads dx) {
    if (t.a) {
      give(dx[0], vb, dc, {.a = t.b, .b = true});
    } else {
      give(dx[0], dc, vb, {.b = !t.b});
    }
    if (t.b) {
      give(dx[1], dc, va, {.a = true, .b = t.a});
    } else {
      give(dx[1], va, dc, {.a = !t.a});
    }
  });
}

}  // namespace fovea
