// Lists of any numbers as a shortlist's file: refused in one line, or every
// source gets sorted words of the vocabulary, the end mark among them.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/data/shortlist.h"

namespace {

using namespace fovea;

// Small numbers are worth more here than large ones.
std::vector<int> numbers_of(const uint8_t* data, size_t size) {
  std::vector<int> numbers;
  for (size_t i = 0; i < size; ++i) {
    const int byte = data[i];
    numbers.push_back(byte < 250 ? byte : (byte - 255) * 400000000);
  }
  return numbers;
}

std::string file_of(const uint8_t* data, size_t size) {
  const char* const names[] = {"sizes", "always", "begins", "words"};
  std::vector<std::vector<int>> lists;
  std::vector<TensorBytes> tensors;
  const size_t first = size / 3, second = size / 2;
  lists.push_back({7, 9});
  lists.push_back(numbers_of(data, first));
  lists.push_back(numbers_of(data + first, second - first));
  lists.push_back(numbers_of(data + second, size - second));
  for (size_t i = 0; i < lists.size(); ++i) {
    tensors.push_back({names[i],
                       "I32",
                       {std::ssize(lists[i])},
                       std::as_bytes(std::span(lists[i]))});
  }
  std::string file = write_safetensors_header(tensors, {});
  for (const TensorBytes& t : tensors) {
    file.append(reinterpret_cast<const char*>(t.bytes.data()), t.bytes.size());
  }
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string file = file_of(data, size);
  try {
    const Shortlist shortlist = Shortlist::read(
        SafetensorsFile(
            {.bytes = std::as_bytes(std::span(file.data(), file.size()))},
            "fuzz"),
        {.source = 7, .target = 9, .end = 2});
    const std::vector<int> source = {6, 0, 3, 7, -1};
    const std::vector<int> words = shortlist.words_for(source);
    if (!std::ranges::is_sorted(words) || words.back() >= 9) abort();
    if (!std::ranges::binary_search(words, 2)) abort();
  } catch (const Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) abort();
  }
  return 0;
}
