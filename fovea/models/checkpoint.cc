#include "fovea/models/checkpoint.h"

#include <vector>

#include "fovea/base/check.h"
#include "fovea/io/safetensors.h"

namespace fovea {
namespace {

std::vector<NamedTensor> tensors_of(const Params& params) {
  std::vector<NamedTensor> all;
  for (const Params::Parameter& p : params.parameters()) {
    all.push_back({p.name, p.value->value()});
  }
  for (const Params::Buffer& b : params.buffers()) {
    all.push_back({b.name, *b.value});
  }
  return all;
}

}  // namespace

void save_parameters(const std::string& path, const Params& params) {
  save_safetensors(path, tensors_of(params));
}

void load_parameters(const std::string& path, const Params& params) {
  const SafetensorsFile file(path);
  const std::vector<NamedTensor> mine = tensors_of(params);
  std::vector<Tensor> values;
  for (const NamedTensor& t : mine) {
    check_data(file.contains(t.name), path, ": has no '", t.name,
               "', which the config beside it asks for");
    values.push_back(file.read(t.name));
    check_data(values.back().shape() == t.value.shape(), path, ": '", t.name,
               "' is ", values.back().shape(), ", expected ", t.value.shape());
  }
  check_data(file.tensors().size() == mine.size(), path, ": has ",
             file.tensors().size(), " tensors, the model ", mine.size());
  for (size_t i = 0; i < mine.size(); ++i) mine[i].value.copy_from(values[i]);
}

}  // namespace fovea
