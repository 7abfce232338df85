// Any bytes as a table: either rows of finite numbers or one line that says why
// not.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fovea/base/check.h"
#include "fovea/io/number_table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const fovea::NumberTable t = fovea::read_number_table(text, "fuzz.csv");
    const auto count = static_cast<size_t>(t.rows * t.columns);
    if (t.rows < 1 || t.values.size() != count) abort();
    if (!t.labels.empty() && t.labels.size() != size_t(t.rows)) abort();
    for (float value : t.values) {
      if (!std::isfinite(value)) abort();
    }
  } catch (const fovea::Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) abort();
  }
  return 0;
}
