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

std::string with_length(const std::string& header, const std::string& rest) {
  const auto length = static_cast<uint64_t>(header.size());
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) +
         header + rest;
}

// Tensors whose types, sizes and offsets are made of the bytes, four for each.
std::string made_header(const std::string& bytes) {
  constexpr const char* kTypes[] = {"F32", "I8", "I64", "BF16"};
  std::string header;
  for (size_t i = 0; i + 4 <= bytes.size() && i < 32; i += 4) {
    const auto number = [&](size_t at) {
      return static_cast<int>(static_cast<unsigned char>(bytes[i + at])) % 40;
    };
    header +=
        fovea::join(i == 0 ? "{" : ",", "\"", number(0) / 3, "\":{\"dtype\":\"",
                    kTypes[number(0) % 4], "\",\"shape\":[", number(1),
                    "],\"data_offsets\":[", number(2), ",", number(3), "]}");
  }
  return header + "}";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string file(reinterpret_cast<const char*>(data), size);
  read_and_write(file);
  const size_t end = file.rfind('}') + 1;
  read_and_write(with_length(file.substr(0, end), file.substr(end)));
  read_and_write(with_length(made_header(file), std::string(size % 40, 'x')));
  return 0;
}
