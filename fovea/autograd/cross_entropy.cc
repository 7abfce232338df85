#include "fovea/autograd/cross_entropy.h"

#include "fovea/autograd/matrix.h"
#include "fovea/base/check.h"
#include "fovea/kernels/clip.h"
#include "fovea/tensor/allocator.h"

namespace fovea {
namespace {

void check_arguments(const Var& logits, std::span<const int> targets,
                     const CrossEntropyOptions& options) {
  check(logits.shape().rank() == 2, "cross_entropy: logits of shape ",
        logits.shape(), ", expected [N, V]");
  const int64_t rows = logits.dim(0), classes = logits.dim(1);
  check(static_cast<int64_t>(targets.size()) == rows,
        "cross_entropy: ", targets.size(), " targets for ", rows, " rows");
  check(options.smoothing >= 0 && options.smoothing < 1,
        "cross_entropy: smoothing ", options.smoothing, " is not in [0, 1)");
  for (size_t i = 0; i < targets.size(); ++i) {
    check(targets[i] == options.ignore ||
              (targets[i] >= 0 && targets[i] < classes),
          "cross_entropy: target ", targets[i], " in row ", i, " of ", classes,
          " classes");
  }
}

int64_t count_rows(std::span<const int> targets, int ignore) {
  int64_t rows = 0;
  for (int target : targets) rows += target != ignore;
  return rows;
}

// Fills `losses`, and turns the logits into their gradient if `consume`.
void run(const Tensor& logits, std::span<const int> targets,
         std::span<kernels::RowLoss> losses,
         const kernels::CrossEntropyOptions& options, bool consume) {
  if (consume) {
    kernels::cross_entropy_with_gradient(matrix(logits), targets, losses,
                                         options);
  } else {
    kernels::cross_entropy(matrix(logits), targets, losses, options);
  }
}

std::span<kernels::RowLoss> all(const Scratch<kernels::RowLoss>& losses) {
  return {losses.data(), losses.size()};
}

}  // namespace

CrossEntropy cross_entropy(const Var& logits, std::span<const int> targets,
                           const CrossEntropyOptions& options) {
  check_arguments(logits, targets, options);
  CrossEntropy result;
  result.rows = count_rows(targets, options.ignore);
  const double normaliser = options.normaliser != 0.0
                                ? options.normaliser
                                : static_cast<double>(result.rows);
  const double scale = normaliser != 0.0 ? 1.0 / normaliser : 0.0;
  const Tensor x = logits.value();
  const Scratch<kernels::RowLoss> losses(targets.size());
  run(x, targets, all(losses),
      {.smoothing = options.smoothing,
       .form = options.form,
       .ignore = options.ignore,
       .scale = static_cast<float>(scale)},
      recording({logits}));
  for (const kernels::RowLoss& row : losses) {
    result.sum += row.loss;
    result.nll += row.nll;
    result.correct += row.correct;
  }
  const auto loss = static_cast<float>(result.sum * scale);
  result.loss =
      record(Tensor::full({}, loss), {logits}, [x](const Tensor& dy, Grads dx) {
        const std::span<float> gradient[] = {x.span()};
        if (dy.item() != 1.0f) kernels::scale_all(gradient, dy.item());
        dx[0].add(x);
      });
  return result;
}

Var cross_entropy_rows(const Var& logits, std::span<const int> targets,
                       const CrossEntropyOptions& options) {
  check_arguments(logits, targets, options);
  const Tensor x = logits.value();
  const Scratch<kernels::RowLoss> losses(targets.size());
  run(x, targets, all(losses),
      {.smoothing = options.smoothing,
       .form = options.form,
       .ignore = options.ignore},
      recording({logits}));
  Tensor y({x.dim(0)});
  for (size_t i = 0; i < losses.size(); ++i) y[i] = losses[i].loss;
  return record(y, {logits}, [x](const Tensor& dy, Grads dx) {
    kernels::scale_rows(matrix(x), dy.span());
    dx[0].add(x);
  });
}

}  // namespace fovea
