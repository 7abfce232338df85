#pragma once

#include "fovea/base/fields.h"
#include "fovea/base/rng.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

// While one lives, the functions below give this thread's layers shapes without
// memory, and draw nothing: a file has the numbers. More than `most` of them
// together are a data error, so that sizes of a damaged config cost nothing.
class InitFromFile {
 public:
  explicit InitFromFile(int64_t most);
  ~InitFromFile();
  InitFromFile(const InitFromFile&) = delete;
  InitFromFile& operator=(const InitFromFile&) = delete;

 private:
  int64_t before_;
};

Tensor normal_init(const Shape& shape, RandomKey key, float deviation,
                   float mean = 0.0f);
Tensor uniform_init(const Shape& shape, RandomKey key, float bound);
// Uniform in +-sqrt(6 / (in + out)) for a weight [out, in] (Glorot and Bengio
// 2010), or for `parts` of them one below the other.
Tensor xavier_init(int64_t out, int64_t in, RandomKey key, int parts = 1);
// Normal with deviation sqrt(2 / in) for layers before a rectifier (He et al.
// 2015). The first axis is the output, the others are the input.
Tensor he_init(const Shape& shape, RandomKey key);
// A random square matrix whose rows are orthogonal and of length 1, uniform
// among all such (Saxe et al. 2014).
Tensor orthogonal_init(int64_t width, RandomKey key);

// How the weights of recurrent models begin. Biases begin with 0.
enum class RecurrentInit {
  kXavier,    // Xavier uniform, recurrent matrices orthogonal
  kBahdanau,  // N(0, 0.01^2), recurrent matrices orthogonal (SPEC D4)
  kLuong,     // uniform in +-0.1, all of them (SPEC D5, D6)
};
constexpr EnumName<RecurrentInit> kRecurrentInits[] = {
    {RecurrentInit::kXavier, "xavier"},
    {RecurrentInit::kBahdanau, "bahdanau"},
    {RecurrentInit::kLuong, "luong"}};
constexpr auto& enum_names(RecurrentInit) { return kRecurrentInits; }

// `parts` weights [out,in] one below the other, such as those of gates.
Tensor input_init(RecurrentInit how, int parts, int64_t out, int64_t in,
                  RandomKey key);
Tensor recurrent_init(RecurrentInit how, int parts, int64_t width,
                      RandomKey key);
// The length of each slice of the first axis: the gains with which a
// weight-normalised layer begins as its directions say.
Tensor slice_lengths(const Tensor& directions);

}  // namespace fovea
