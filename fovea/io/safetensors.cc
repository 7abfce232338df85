#include "fovea/io/safetensors.h"

#include <algorithm>
#include <cstring>

#include "fovea/base/check.h"
#include "fovea/base/nearest.h"
#include "fovea/io/file_replacement.h"

namespace fovea {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TensorBytes bytes_of(const NamedTensor& tensor) {
  const Shape& shape = tensor.value.shape();
  TensorBytes bytes{.name = tensor.name, .type = "F32"};
  check(static_cast<bool>(tensor.value), "tensor '", tensor.name,
        "' is empty and cannot be saved");
  for (int i = 0; i < shape.rank(); ++i) bytes.shape.push_back(shape[i]);
  bytes.bytes = std::as_bytes(tensor.value.span());
  return bytes;
}

void check_size(const TensorBytes& tensor) {
  int64_t size = element_size(tensor.type);
  for (int64_t dim : tensor.shape) size *= dim;
  check(size == std::ssize(tensor.bytes), "tensor '", tensor.name,
        "': ", tensor.bytes.size(), " bytes where its shape and type ",
        tensor.type, " give ", size);
}

}  // namespace

void save_safetensors(const std::string& path,
                      std::span<const NamedTensor> tensors,
                      const Metadata& metadata) {
  std::vector<TensorBytes> all;
  for (const NamedTensor& tensor : tensors) all.push_back(bytes_of(tensor));
  save_safetensors(path, std::span<const TensorBytes>(all), metadata);
}

void save_safetensors(const std::string& path,
                      std::span<const TensorBytes> tensors,
                      const Metadata& metadata) {
  std::vector<TensorBytes> all(tensors.begin(), tensors.end());
  for (const TensorBytes& tensor : all) check_size(tensor);
  std::stable_sort(all.begin(), all.end(),
                   [](const TensorBytes& a, const TensorBytes& b) {
                     return element_size(a.type) > element_size(b.type);
                   });
  const std::string header = write_safetensors_header(all, metadata);
  FileReplacement file(path);
  file.write(header);
  for (const TensorBytes& tensor : all) file.write(text_of(tensor.bytes));
  file.commit();
}

SafetensorsFile::SafetensorsFile(const std::string& path)
    : path_(path),
      file_(path),
      index_(read_safetensors_header(file_.bytes(), path)) {
  for (size_t i = 0; i < index_.tensors.size(); ++i) {
    by_name_[index_.tensors[i].name] = i;
  }
}

const TensorBytes& SafetensorsFile::find(const std::string& name) const {
  const auto entry = by_name_.find(name);
  if (entry == by_name_.end()) {
    std::vector<std::string> names;
    for (const TensorBytes& t : index_.tensors) names.push_back(t.name);
    fail(ErrorKind::kData, path_, ": has no tensor '", name, "'",
         did_you_mean(name, names));
  }
  return index_.tensors[entry->second];
}

Tensor SafetensorsFile::read(const std::string& name) const {
  const TensorBytes& found = find(name);
  check_data(found.type == "F32", path_, ": tensor '", name,
             "' has elements of type ", found.type, ", not F32");
  check_data(found.shape.size() <= Shape::kMaxRank, path_, ": tensor '", name,
             "' has ", found.shape.size(), " axes, more than ",
             Shape::kMaxRank);
  Tensor tensor{Shape(found.shape)};
  if (!found.bytes.empty()) {
    std::memcpy(tensor.data(), found.bytes.data(), found.bytes.size());
  }
  return tensor;
}

}  // namespace fovea
