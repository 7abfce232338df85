#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/autograd/var.h"
#include "fovea/layers/packed_weight.h"

namespace fovea {

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
  // A parameter of which inference needs the packed form alone. Tied layers
  // share it.
  struct Weight {
    std::string name;  // of the parameter; empty if it is tied to one outside
    const Var* value;  // [out,...]
    const Var* gain;   // lengths of its rows; empty or null: their own
    std::vector<PackedWeight*> packed;  // one for each layer that has it

    Tensor matrix() const;  // [out,in] as layers multiply by it
  };
  // What a layer packs otherwise, and how it forgets it.
  struct Packing {
    std::function<void(Precision)> prepare;
    std::function<void()> forget;
  };
  using Packer = std::function<PackedWeight(const Weight&)>;

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
  // A weight; as a parameter it is listed before, here or by the layer that it
  // is tied to.
  void weight(const Var& value, PackedWeight& packed,
              const Var* gain = nullptr);
  // What packs other parameters of a layer for inference; those that are not
  // needed once this is done are named.
  void packing(Packing packing, std::initializer_list<Var> needless = {});

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }
  const std::vector<Weight>& weights() const { return weights_; }
  int64_t count() const;  // numbers in all parameters
  // Packs every weight once, for inference: a row of a prepared layer's result
  // depends neither on the other rows nor on the threads.
  void prepare(Precision precision) const;
  // The same with weights that someone else packs.
  void prepare(Precision precision, const Packer& packer) const;
  // Forgets what was packed, which parameters that change do not change:
  // training must compute by these even where it records no graph.
  void forget_packed() const;
  // True if a prepared model does not need the parameter.
  bool is_needless(const Var& parameter) const;

 private:
  std::string full_name(std::string_view name) const;

  std::string prefix_;
  std::vector<Parameter> parameters_;
  std::vector<Buffer> buffers_;
  std::vector<Weight> weights_;
  std::vector<Packing> packings_;
  std::vector<Var> needless_;
};

}  // namespace fovea
