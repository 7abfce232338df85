// Any bytes as a safetensors file: either an index that stays inside them or
// one line that says why not. What is read can be written and read back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fovea/base/check.h"
#include "fovea/io/safetensors_header.h"

namespace {

using fovea::read_safetensors_header;

fovea::SafetensorsIndex read_checked(const std::string& file) {
  const auto bytes = std::as_bytes(std::span(file.data(), file.size()));
  fovea::SafetensorsIndex index = read_safetensors_header(bytes, "fuzz");
  for (const fovea::TensorBytes& tensor : index.tensors) {
    const std::byte* begin = tensor.bytes.data();
    if (begin < bytes.data()) abort();
    if (begin + tensor.bytes.size() > bytes.data() + bytes.size()) abort();
    int64_t size = fovea::element_size(tensor.type);
    for (int64_t dim : tensor.shape) size *= dim;
    if (size != std::ssize(tensor.bytes)) abort();
  }
  return index;
}

void read_and_write(const std::string& file) {
  try {
    const fovea::SafetensorsIndex index = read_checked(file);
    std::string again =
        fovea::write_safetensors_header(index.tensors, index.metadata);
    for (const fovea::TensorBytes& tensor : index.tensors) {
      again.append(reinterpret_cast<const char*>(tensor.bytes.data()),
                   tensor.bytes.size());
    }
    if (read_checked(again).metadata != index.metadata) abort();
  } catch (const fovea::Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string file(reinterpret_cast<const char*>(data), size);
  read_and_write(file);
  // With a right length in front, more of them reach the JSON and beyond.
  const size_t header = file.rfind('}') + 1;
  const auto length = static_cast<uint64_t>(header);
  read_and_write(
      std::string(reinterpret_cast<const char*>(&length), sizeof(length)) +
      file);
  return 0;
}
