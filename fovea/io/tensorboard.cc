#include "fovea/io/tensorboard.h"

#include <bit>
#include <string_view>
#include <type_traits>

#include "fovea/io/crc32c.h"

namespace fovea {
namespace {

static_assert(std::endian::native == std::endian::little);

template <class T>
requires std::is_arithmetic_v<T> std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

// The few parts of the encoding of protocol buffers that events need: a field
// is its number and kind, then its value.
enum class Wire { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>(value | 0x80);
  }
  return bytes += static_cast<char>(value);
}

std::string field(int number, Wire kind, std::string_view value) {
  std::string bytes =
      varint(static_cast<uint64_t>(number) << 3 | static_cast<uint64_t>(kind));
  if (kind == Wire::kBytes) bytes += varint(value.size());
  return bytes += value;
}

// Numbers of the fields are those of event.proto and summary.proto.
std::string event(double seconds, int64_t step, const std::string& what) {
  return field(1, Wire::kFixed64, bytes_of(seconds)) +
         field(2, Wire::kVarint, varint(static_cast<uint64_t>(step))) + what;
}

std::string file_version() { return field(3, Wire::kBytes, "brain.Event:2"); }

std::string summary(std::span<const Scalar> scalars) {
  std::string values;
  for (const Scalar& scalar : scalars) {
    values += field(1, Wire::kBytes,
                    field(1, Wire::kBytes, scalar.tag) +
                        field(2, Wire::kFixed32, bytes_of(scalar.value)));
  }
  return field(5, Wire::kBytes, values);
}

// TFRecord: a checksum of bytes that hold checksums would be weak, so they are
// turned and shifted.
uint32_t masked_checksum(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xa282ead8u;
}

std::string record(const std::string& bytes) {
  const std::string length = bytes_of(uint64_t{bytes.size()});
  return length + bytes_of(masked_checksum(length)) + bytes +
         bytes_of(masked_checksum(bytes));
}

}  // namespace

void TensorBoardLog::add(int64_t step, double seconds,
                         std::span<const Scalar> scalars) {
  std::string records;
  if (file_.size() == 0) records += record(event(seconds, 0, file_version()));
  records += record(event(seconds, step, summary(scalars)));
  file_.append(records);
}

}  // namespace fovea
