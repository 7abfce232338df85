#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

// The safetensors format: eight bytes with the length of a header (little
// endian), the header as JSON, and the elements of all tensors, row-major and
// little endian, one tensor behind the other without holes.
namespace fovea {

// A tensor of any type as the file has it. The bytes belong to someone else.
struct TensorBytes {
  std::string name = {};
  std::string type = {};  // as the format names it: F32, I8, I64, ...
  std::vector<int64_t> shape = {};
  std::span<const std::byte> bytes = {};
};

using Metadata = std::map<std::string, std::string>;

struct SafetensorsIndex {
  Metadata metadata;
  std::vector<TensorBytes> tensors;  // in the order of their bytes
};

// The index of a whole file. Whatever is wrong with it (cut short, no JSON,
// unknown types, shapes that do not match their bytes, overlaps, holes, names
// given twice) is a data error that names `source`. The index points into
// `file`, never outside.
SafetensorsIndex read_safetensors_header(std::span<const std::byte> file,
                                         const std::string& source);

// All that stands before the elements of these tensors, in this order. It is a
// multiple of 8 bytes long. Names and metadata must be UTF-8 and names differ.
std::string write_safetensors_header(std::span<const TensorBytes> tensors,
                                     const Metadata& metadata);

// Bytes of an element; 0 if the type is not known.
int64_t element_size(const std::string& type);

}  // namespace fovea
