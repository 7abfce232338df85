#include <fovea/base/version.h>
#include <fovea/kernels/gemm.h>
#include <fovea/tensor/tensor.h>

#include <cstdio>

// A product that reaches the matrix libraries: [1,2,3,4] * [1,1,1,1]^T.
int main() {
  using fovea::Tensor;
  const Tensor a = Tensor::of({1, 4}, {1, 2, 3, 4});
  const Tensor b = Tensor::full({4, 1}, 1.0f);
  const Tensor c({1, 1});
  fovea::kernels::gemm({a.data(), 1, 4, 4}, {b.data(), 4, 1, 1},
                       {c.data(), 1, 1, 1});
  std::printf("fovea %s: 1 + 2 + 3 + 4 = %g\n", fovea::version().c_str(),
              c.item());
}
