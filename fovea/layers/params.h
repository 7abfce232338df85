#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/autograd/var.h"

namespace fovea {

// How a prepared layer stores its weights.
enum class Precision { kFloat32, kInt8 };

// The parameters of a model, each listed once by its layer:
//
//   void Linear::params(Params& p) { p("weight", weight); p("bias", bias); }
//
// A child is listed the same way and its names get a prefix: "query.weight".
// Saving, loading, counting, optimising and preparing read this list. It refers
// to the layers, which must outlive it and stay where they are.
class Params {
 public:
  struct Parameter {
    std::string name;
    Var* value;
  };
  // What training changes besides parameters: running statistics, baselines.
  struct Buffer {
    std::string name;
    Tensor* value;
  };
  using Prepare = std::function<void(Precision)>;

  Params() = default;
  template <class Model>
  explicit Params(Model& model) {
    model.params(*this);
  }

  // An empty one, such as a bias that is off, is left out.
  void operator()(std::string_view name, Var& parameter);
  template <class Layer>
  requires requires(Layer& layer, Params& p) { layer.params(p); }
  void operator()(std::string_view name, Layer& layer) {
    const size_t outside = prefix_.size();
    prefix_.append(name).append(".");
    layer.params(*this);
    prefix_.resize(outside);
  }
  void buffer(std::string_view name, Tensor& buffer);
  // What packs a layer's weights for inference.
  void packing(Prepare prepare) { prepares_.push_back(std::move(prepare)); }

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }
  int64_t count() const;  // numbers in all parameters
  // Packs every weight once, for inference: a row of a prepared layer's result
  // depends neither on the other rows nor on the threads.
  void prepare(Precision precision) const;

 private:
  std::string full_name(std::string_view name) const;

  std::string prefix_;
  std::vector<Parameter> parameters_;
  std::vector<Buffer> buffers_;
  std::vector<Prepare> prepares_;
};

}  // namespace fovea
