#include "fovea/io/safetensors_header.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "fovea/base/check.h"

namespace fovea {
namespace {

static_assert(std::endian::native == std::endian::little);

using Json = nlohmann::json;

constexpr size_t kLengthBytes = 8;
constexpr const char* kMetadata = "__metadata__";

struct Type {
  const char* name;
  int64_t size;
};
constexpr Type kTypes[] = {
    {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1},
    {"I16", 2},  {"U16", 2}, {"F16", 2}, {"BF16", 2},    {"I32", 4},
    {"U32", 4},  {"F32", 4}, {"F64", 8}, {"I64", 8},     {"U64", 8},
};

class IndexReader {
 public:
  IndexReader(std::span<const std::byte> file, const std::string& source)
      : source_(source) {
    need(file.size() >= kLengthBytes, "is too short to be a safetensors file");
    uint64_t length = 0;
    std::memcpy(&length, file.data(), kLengthBytes);
    const std::span rest = file.subspan(kLengthBytes);
    need(length <= rest.size(), "has a header of ", length, " bytes, but only ",
         rest.size(), " bytes behind its length");
    header_ = {reinterpret_cast<const char*>(rest.data()), length};
    data_ = rest.subspan(length);
  }

  SafetensorsIndex read() const {
    const Json header = parse();
    SafetensorsIndex index;
    for (const auto& [name, value] : header.items()) {
      if (name == kMetadata) {
        index.metadata = metadata_of(value);
      } else {
        index.tensors.push_back(tensor_of(name, value));
      }
    }
    order(index.tensors);
    return index;
  }

 private:
  template <class... Parts>
  void need(bool holds, const Parts&... parts) const {
    check_data(holds, source_, ": ", parts...);
  }

  // The library keeps the last of two equal keys and takes any depth: the
  // callback refuses both.
  Json parse() const {
    std::vector<std::set<std::string>> keys(3);  // by depth
    const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
      if (event == Json::parse_event_t::object_start) {
        need(depth < 2, "nests its header too deep");
        keys[depth + 1].clear();
      } else if (event == Json::parse_event_t::array_start) {
        need(depth < 3, "nests its header too deep");
      } else if (event == Json::parse_event_t::key) {
        const std::string key = value.get<std::string>();
        need(keys[depth].insert(key).second, "has '", key, "' twice");
      }
      return true;
    };
    try {
      Json header = Json::parse(header_, watch);
      need(header.is_object(), "has a header that is no JSON object");
      return header;
    } catch (const Json::exception&) {
      fail(ErrorKind::kData, source_, ": has a header that is no JSON");
    }
  }

  Metadata metadata_of(const Json& value) const {
    need(value.is_object(), kMetadata, " is no JSON object");
    Metadata metadata;
    for (const auto& [key, text] : value.items()) {
      need(text.is_string(), kMetadata, ": '", key, "' is no text");
      metadata[key] = text.get<std::string>();
    }
    return metadata;
  }

  TensorBytes tensor_of(const std::string& name, const Json& value) const {
    const auto member = [&](const char* key,
                            Json::value_t type) -> const Json& {
      need(
          value.is_object() && value.contains(key) && value[key].type() == type,
          "tensor '", name, "' has no ", key);
      return value[key];
    };
    TensorBytes tensor{.name = name};
    tensor.type = member("dtype", Json::value_t::string).get<std::string>();
    need(element_size(tensor.type) > 0, "tensor '", name,
         "' has the unknown type '", tensor.type, "'");
    tensor.shape = numbers_of(member("shape", Json::value_t::array), name);
    tensor.bytes = bytes_of(
        numbers_of(member("data_offsets", Json::value_t::array), name), name);
    need(std::ssize(tensor.bytes) == byte_count(tensor), "tensor '", name,
         "' has ", tensor.bytes.size(), " bytes, which its shape and type do ",
         "not give");
    return tensor;
  }

  std::vector<int64_t> numbers_of(const Json& list,
                                  const std::string& name) const {
    constexpr uint64_t most = std::numeric_limits<int64_t>::max();
    std::vector<int64_t> numbers;
    for (const Json& item : list) {
      need(item.is_number_unsigned() && item.get<uint64_t>() <= most,
           "tensor '", name, "' has a size or offset that cannot be");
      numbers.push_back(item.get<int64_t>());
    }
    return numbers;
  }

  std::span<const std::byte> bytes_of(const std::vector<int64_t>& offsets,
                                      const std::string& name) const {
    need(offsets.size() == 2, "tensor '", name, "' needs two data_offsets");
    need(offsets[0] <= offsets[1] && offsets[1] <= std::ssize(data_),
         "tensor '", name, "' has bytes ", offsets[0], " to ", offsets[1],
         " of ", data_.size());
    return data_.subspan(offsets[0], offsets[1] - offsets[0]);
  }

  // -1 if there can be no such tensor, as Shape sees it.
  static int64_t byte_count(const TensorBytes& tensor) {
    int64_t count = element_size(tensor.type);
    int64_t left = std::numeric_limits<int64_t>::max() / 8;
    for (int64_t dim : tensor.shape) {
      if (dim > left) return -1;
      if (dim > 0) left /= dim;
    }
    for (int64_t dim : tensor.shape) count *= dim;
    return count;
  }

  void order(std::vector<TensorBytes>& tensors) const {
    std::sort(tensors.begin(), tensors.end(),
              [](const TensorBytes& a, const TensorBytes& b) {
                return std::tuple(a.bytes.data(), a.bytes.size(), a.name) <
                       std::tuple(b.bytes.data(), b.bytes.size(), b.name);
              });
    const std::byte* end = data_.data();
    for (const TensorBytes& tensor : tensors) {
      need(tensor.bytes.data() >= end, "tensor '", tensor.name,
           "' overlaps another");
      need(tensor.bytes.data() == end, "has bytes in front of tensor '",
           tensor.name, "' that belong to none");
      end += tensor.bytes.size();
    }
    need(end == data_.data() + data_.size(),
         "has bytes at its end that belong to no tensor");
  }

  const std::string& source_;
  std::string_view header_;
  std::span<const std::byte> data_;
};

}  // namespace

SafetensorsIndex read_safetensors_header(std::span<const std::byte> file,
                                         const std::string& source) {
  return IndexReader(file, source).read();
}

std::string write_safetensors_header(std::span<const TensorBytes> tensors,
                                     const Metadata& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kMetadata] = metadata;
  size_t offset = 0;
  for (const TensorBytes& tensor : tensors) {
    check(tensor.name != kMetadata && !header.contains(tensor.name),
          "two tensors are called '", tensor.name, "'");
    header[tensor.name] = {
        {"dtype", tensor.type},
        {"shape", tensor.shape},
        {"data_offsets", {offset, offset + tensor.bytes.size()}}};
    offset += tensor.bytes.size();
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    fail(ErrorKind::kRun, "a tensor's name or its metadata is no UTF-8");
  }
  text.append(-text.size() % kLengthBytes, ' ');  // keeps elements aligned
  const uint64_t length = text.size();
  std::string all(reinterpret_cast<const char*>(&length), kLengthBytes);
  return all += text;
}

int64_t element_size(const std::string& type) {
  for (const Type& known : kTypes) {
    if (type == known.name) return known.size;
  }
  return 0;
}

}  // namespace fovea
