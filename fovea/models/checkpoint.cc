#include "fovea/models/checkpoint.h"

#include "fovea/base/check.h"

namespace fovea {

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

void save_parameters(const std::string& path, const Params& params) {
  save_with_checksum(path, tensors_of(params));
}

void check_stored(const SafetensorsFile& file, const std::string& name,
                  const std::string& type, const Shape& shape) {
  check_data(file.contains(name), file.source(), ": has no '", name,
             "', which the config beside it asks for");
  const TensorBytes& found = file.find(name);
  check_data(found.type == type, file.source(), ": '", name,
             "' has elements of type ", found.type, ", expected ", type);
  check_data(
      found.shape.size() <= Shape::kMaxRank && Shape(found.shape) == shape,
      file.source(), ": '", name, "' is ", shape_text(found), ", expected ",
      shape);
}

void check_count(const SafetensorsFile& file, size_t tensors) {
  check_data(file.tensors().size() == tensors, file.source(), ": has ",
             file.tensors().size(), " tensors, the model ", tensors);
}

void load_parameters(const std::string& path, const Params& params) {
  const SafetensorsFile file(path);
  const std::vector<NamedTensor> mine = tensors_of(params);
  for (const NamedTensor& t : mine) {
    check_stored(file, t.name, "F32", t.value.shape());
  }
  check_count(file, mine.size());
  file.verify();
  for (const NamedTensor& t : mine) t.value.copy_from(file.view(t.name));
}

}  // namespace fovea
