#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "fovea/io/file_source.h"
#include "fovea/io/safetensors_header.h"
#include "fovea/tensor/tensor.h"

namespace fovea {

// "[2, 3]", for messages.
std::string shape_text(const TensorBytes& tensor);

struct NamedTensor {
  std::string name;
  Tensor value;
};

// Writes a safetensors file straight from the tensors' memory. The file is
// replaced as a whole or not at all, and is on the disk when this returns.
// The same tensors give the same bytes.
void save_safetensors(const std::string& path,
                      std::span<const NamedTensor> tensors,
                      const Metadata& metadata = {});
// Of any type. Those with larger elements go first, so that all are aligned.
void save_safetensors(const std::string& path,
                      std::span<const TensorBytes> tensors,
                      const Metadata& metadata = {});

// What a file's metadata may have under kChecksum: it tells whether a tensor
// was damaged.
constexpr const char* kChecksum = "checksum";
std::string checksum_of(std::span<const TensorBytes> tensors);
// Saves them with it.
void save_with_checksum(const std::string& path,
                        std::span<const NamedTensor> tensors);
void save_with_checksum(const std::string& path,
                        std::span<const TensorBytes> tensors);

// An open safetensors file, mapped and not read: opening a large one is cheap.
// A file that is not right is a data error on opening. Immutable, so threads
// may share one; see MappedFile for what must not happen to the file.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::string& path);
  // `source` names the file in messages.
  SafetensorsFile(FileBytes file, const std::string& source);

  const std::string& source() const { return source_; }
  const Metadata& metadata() const { return index_.metadata; }
  // In the order of the file.
  std::span<const TensorBytes> tensors() const { return index_.tensors; }

  bool contains(const std::string& name) const {
    return by_name_.contains(name);
  }
  // Bytes as long as this file lives. A name that is not there is a data error.
  const TensorBytes& find(const std::string& name) const;
  // A copy of a float32 tensor; another type is a data error.
  Tensor read(const std::string& name) const;
  // The same without a copy, where the file has it aligned. Nobody may write to
  // it; it outlives this object.
  Tensor view(const std::string& name) const;
  // Reads all tensors: a data error if the file has a checksum and it is wrong.
  void verify() const;

 private:
  std::string source_;
  FileBytes file_;
  SafetensorsIndex index_;
  std::map<std::string, size_t> by_name_;
};

}  // namespace fovea
