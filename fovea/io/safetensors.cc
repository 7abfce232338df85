#include "fovea/io/safetensors.h"

#include <algorithm>
#include <cstring>

#include "fovea/base/check.h"
#include "fovea/base/nearest.h"
#include "fovea/io/checksum.h"
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

std::vector<TensorBytes> all_bytes(std::span<const NamedTensor> tensors) {
  std::vector<TensorBytes> all;
  for (const NamedTensor& tensor : tensors) all.push_back(bytes_of(tensor));
  return all;
}

void check_size(const TensorBytes& tensor) {
  int64_t size = element_size(tensor.type);
  for (int64_t dim : tensor.shape) size *= dim;
  check(size == std::ssize(tensor.bytes), "tensor '", tensor.name,
        "': ", tensor.bytes.size(), " bytes where its shape and type ",
        tensor.type, " give ", size);
}

}  // namespace

std::string shape_text(const TensorBytes& tensor) {
  std::string text = "[";
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    text += join(i ? ", " : "", tensor.shape[i]);
  }
  return text + "]";
}

void save_safetensors(const std::string& path,
                      std::span<const NamedTensor> tensors,
                      const Metadata& metadata) {
  save_safetensors(path, all_bytes(tensors), metadata);
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

std::string checksum_of(std::span<const TensorBytes> tensors) {
  uint64_t all = 0;  // whatever their order
  for (const TensorBytes& t : tensors) {
    const auto name = std::as_bytes(std::span(t.name.data(), t.name.size()));
    all ^= checksum(t.bytes, checksum(name));
  }
  std::string digits(16, '0');
  for (int i = 0; i < 16; ++i) {
    digits[i] = "0123456789abcdef"[all >> (60 - 4 * i) & 15];
  }
  return digits;
}

void save_with_checksum(const std::string& path,
                        std::span<const NamedTensor> tensors) {
  save_with_checksum(path, all_bytes(tensors));
}

void save_with_checksum(const std::string& path,
                        std::span<const TensorBytes> tensors) {
  save_safetensors(path, tensors, {{kChecksum, checksum_of(tensors)}});
}

SafetensorsFile::SafetensorsFile(const std::string& path)
    : SafetensorsFile(map_file(path), path) {}

SafetensorsFile::SafetensorsFile(FileBytes file, const std::string& source)
    : source_(source),
      file_(std::move(file)),
      index_(read_safetensors_header(file_.bytes, source)) {
  for (size_t i = 0; i < index_.tensors.size(); ++i) {
    by_name_[index_.tensors[i].name] = i;
  }
}

const TensorBytes& SafetensorsFile::find(const std::string& name) const {
  const auto entry = by_name_.find(name);
  if (entry == by_name_.end()) {
    std::vector<std::string> names;
    for (const TensorBytes& t : index_.tensors) names.push_back(t.name);
    fail(ErrorKind::kData, source_, ": has no tensor '", name, "'",
         did_you_mean(name, names));
  }
  return index_.tensors[entry->second];
}

Tensor SafetensorsFile::read(const std::string& name) const {
  return view(name).clone();
}

Tensor SafetensorsFile::view(const std::string& name) const {
  const TensorBytes& found = find(name);
  check_data(found.type == "F32", source_, ": tensor '", name,
             "' has elements of type ", found.type, ", not F32");
  check_data(found.shape.size() <= Shape::kMaxRank, source_, ": tensor '", name,
             "' has ", found.shape.size(), " axes, more than ",
             Shape::kMaxRank);
  const Shape shape(found.shape);
  const std::byte* start = found.bytes.data();
  const auto address = reinterpret_cast<uintptr_t>(start);
  if (address % alignof(float) == 0 && !found.bytes.empty()) {
    const auto* numbers = reinterpret_cast<const float*>(start);
    return Tensor::borrowed(shape,
                            std::shared_ptr<const float>(file_.owner, numbers));
  }
  Tensor copy(shape);
  if (shape.size() > 0) std::memcpy(copy.data(), start, found.bytes.size());
  return copy;
}

void SafetensorsFile::verify() const {
  const auto given = metadata().find(kChecksum);
  if (given == metadata().end()) return;
  check_data(given->second == checksum_of(tensors()), source_,
             ": is damaged; its checksum is wrong");
}

}  // namespace fovea
