#include "fovea/autograd/dice.h"

#include "fovea/base/check.h"
#include "fovea/kernels/elementwise.h"
#include "fovea/kernels/reduce.h"

namespace fovea {

Var soft_dice(const Var& p, const Tensor& t, float smooth) {
  check(p.shape() == t.shape(), "soft_dice: probabilities of shape ", p.shape(),
        " and a mask of shape ", t.shape());
  check(smooth > 0, "soft_dice: smooth ", smooth, " is not positive");
  const Tensor a = p.value();
  const double above = 2.0 * kernels::dot(a.span(), t.span()) + smooth;
  const double under = kernels::sum(a.span()) + kernels::sum(t.span()) + smooth;
  const auto loss = static_cast<float>(1.0 - above / under);
  return record(Tensor::full({}, loss), {p},
                [t, above, under](const Tensor& dy, Grads dx) {
                  // dp_i = -(2 t_i under - above) / under^2
                  const double scale = dy.item() / under;
                  const auto flat = static_cast<float>(scale * above / under);
                  const Tensor gradient = Tensor::full(t.shape(), flat);
                  kernels::add_scaled(static_cast<float>(-2.0 * scale),
                                      t.span(), gradient.span());
                  dx[0].add(gradient);
                });
}

}  // namespace fovea
