#include "fovea/models/inference.h"

#include <algorithm>
#include <cstdlib>

#include "fovea/base/check.h"
#include "fovea/layers/init.h"
#include "fovea/models/checkpoint.h"

namespace fovea {
namespace {

// No size of a model is larger, and products of two fit in 64 bits.
constexpr int64_t kLargestNumber = int64_t{1} << 24;

// A layer may draw a weight and then another in its place, but not often.
constexpr int64_t kDraws = 4;

std::string scale_of(const std::string& weight) { return weight + ".scale"; }

void check_numbers(const std::string& config,
                   const std::vector<Field>& fields) {
  for (const Field& field : fields) {
    const bool whole = field.expected == FieldText<int>::one() ||
                       field.expected == FieldText<int>::many();
    if (!whole) continue;
    for (const std::string& text : field.get()) {
      const int64_t number = std::atoll(text.c_str());
      check_data(std::abs(number) <= kLargestNumber, config, ": ", field.name,
                 " is ", number, ", which no model can have");
    }
  }
}

int64_t numbers_in(const SafetensorsFile& file) {
  int64_t count = 0;
  for (const TensorBytes& t : file.tensors()) {
    count += std::ssize(t.bytes) / element_size(t.type);
  }
  return count;
}

// The weight that a parameter is, or null.
const Params::Weight* weight_of(const Params& params, const Var& parameter) {
  for (const Params::Weight& w : params.weights()) {
    if (w.value->shares(parameter)) return &w;
  }
  return nullptr;
}

// The weight whose gain a parameter is, or null.
const Params::Weight* gain_of(const Params& params, const Var& parameter) {
  for (const Params::Weight& w : params.weights()) {
    if (w.gain && *w.gain && w.gain->shares(parameter)) return &w;
  }
  return nullptr;
}

class InferenceLoader {
 public:
  InferenceLoader(const SafetensorsFile& file, const Params& params)
      : file_(file), params_(params) {}

  // Before anything is changed.
  void check_tensors() const {
    size_t count = 0;
    for (const Params::Parameter& p : params_.parameters()) {
      if (is_counted_in(*p.value)) continue;
      const Shape& shape = p.value->shape();
      check_stored(file_, p.name, is_quantized(*p.value) ? "I8" : "F32", shape);
      ++count;
      if (!is_quantized(*p.value)) continue;
      check_stored(file_, scale_of(p.name), "F32", {shape[0]});
      check_range(p.name);
      ++count;
    }
    for (const Params::Buffer& b : params_.buffers()) {
      check_stored(file_, b.name, "F32", b.value->shape());
      ++count;
    }
    check_count(file_, count);
    file_.verify();
  }

  // Weights that will be packed as views of the file, others as copies.
  void fill() const {
    for (const Params::Parameter& p : params_.parameters()) {
      if (is_counted_in(*p.value) || is_quantized(*p.value)) continue;
      const Tensor view = file_.view(p.name);
      p.value->fix(params_.is_needless(*p.value) ? view : view.clone());
    }
    for (const Params::Buffer& b : params_.buffers()) {
      b.value->copy_from(file_.view(b.name));
    }
  }

  void fill_unpacked() const {
    for (const Params::Parameter& p : params_.parameters()) {
      if (is_counted_in(*p.value)) {
        p.value->fix(slice_lengths(float_weight(*gain_of(params_, *p.value))));
      } else if (is_quantized(*p.value)) {
        p.value->fix(float_weight(*weight_of(params_, *p.value)));
      } else {
        p.value->fix(file_.read(p.name));
      }
    }
    for (const Params::Buffer& b : params_.buffers()) {
      b.value->copy_from(file_.view(b.name));
    }
  }

  void pack(Precision precision) const {
    params_.prepare(precision, [&](const Params::Weight& weight) {
      if (!is_quantized(&weight)) {
        return PackedWeight(weight.matrix(), precision);
      }
      const Tensor scales = file_.view(scale_of(weight.name));
      return PackedWeight(rows_of(file_.find(weight.name), scales));
    });
  }

  void drop_needless() const {
    for (const Params::Parameter& p : params_.parameters()) {
      if (!params_.is_needless(*p.value)) continue;
      p.value->fix(Tensor::without_memory(p.value->shape()));
    }
  }

 private:
  static kernels::QuantizedRows rows_of(const TensorBytes& q,
                                        const Tensor& scales) {
    return {{reinterpret_cast<const int8_t*>(q.bytes.data()), q.bytes.size()},
            scales.span()};
  }
  // Products of larger ones would overflow.
  void check_range(const std::string& name) const {
    constexpr int kMost = kernels::QuantizedRows::kMost;
    int8_t low = 0, high = 0;  // a loop of this form is quick
    for (const int8_t q : rows_of(file_.find(name), {}).q) {
      low = std::min(low, q);
      high = std::max(high, q);
    }
    check_data(low >= -kMost && high <= kMost, file_.source(), ": ", name,
               " has ", int{high > kMost ? high : low}, " in 8 bits, where ",
               kMost, " is the most; quantize the model again");
  }

  bool is_quantized(const Params::Weight* weight) const {
    return weight != nullptr && file_.contains(scale_of(weight->name));
  }
  bool is_quantized(const Var& parameter) const {
    return is_quantized(weight_of(params_, parameter));
  }
  // Of one that the file has in 8 bits.
  Tensor float_weight(const Params::Weight& weight) const {
    Tensor numbers(weight.value->shape());
    const Tensor scales = file_.view(scale_of(weight.name));
    const kernels::QuantizedRows rows =
        rows_of(file_.find(weight.name), scales);
    for (int64_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<float>(rows.q[i]) * scales[i / rows.in()];
    }
    return numbers;
  }
  // The gain of a weight that the file has in 8 bits.
  bool is_counted_in(const Var& parameter) const {
    return is_quantized(gain_of(params_, parameter));
  }

  const SafetensorsFile& file_;
  const Params& params_;
};

// Makes the parameters of a model views of a file that has them as float32.
void view_tensors(const SafetensorsFile& file, const Params& params) {
  const std::vector<NamedTensor> all = tensors_of(params);
  for (const NamedTensor& t : all) {
    check_stored(file, t.name, "F32", t.value.shape());
  }
  check_count(file, all.size());
  file.verify();
  for (const Params::Parameter& p : params.parameters()) {
    p.value->fix(file.view(p.name));
  }
}

}  // namespace

void make_from_file(const SafetensorsFile& weights, const std::string& config,
                    const std::vector<Field>& fields,
                    const std::function<void()>& make) {
  check_numbers(config, fields);
  const InitFromFile init(kDraws * numbers_in(weights));
  try {
    make();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kResource) throw;
    fail(ErrorKind::kData, config, ": ", error.what());
  }
}

void load_for_inference(const SafetensorsFile& file, const Params& params,
                        Precision precision) {
  const InferenceLoader loader(file, params);
  loader.check_tensors();
  loader.fill();
  loader.pack(precision);
  loader.drop_needless();
}

void load_unpacked(const SafetensorsFile& file, const Params& params) {
  const InferenceLoader loader(file, params);
  loader.check_tensors();
  loader.fill_unpacked();
}

void save_quantized(const std::string& path, const SafetensorsFile& file,
                    const Params& params) {
  view_tensors(file, params);
  std::vector<TensorBytes> tensors;
  std::vector<QuantizedWeight> quantized;
  quantized.reserve(params.weights().size());  // the tensors point into them
  for (const Params::Weight& w : params.weights()) {
    const QuantizedWeight& all = quantized.emplace_back(w.matrix());
    const std::span<const std::byte> q = std::as_bytes(std::span(all.q)),
                                     scales =
                                         std::as_bytes(std::span(all.scales));
    tensors.push_back({w.name, "I8", file.find(w.name).shape, q});
    tensors.push_back(
        {scale_of(w.name), "F32", {std::ssize(all.scales)}, scales});
  }
  for (const Params::Parameter& p : params.parameters()) {
    if (weight_of(params, *p.value) || gain_of(params, *p.value)) continue;
    tensors.push_back(file.find(p.name));
  }
  for (const Params::Buffer& b : params.buffers()) {
    tensors.push_back(file.find(b.name));
  }
  save_with_checksum(path, tensors);
}

}  // namespace fovea
