// Any bytes as a config: either the fields are set or one Error says why not,
// and what was set survives being written and read back.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fovea/base/check.h"
#include "fovea/io/yaml.h"

namespace {

struct Inner {
  double rate = 0.5;
  void fields(auto&& field) { field("rate", rate, "a number"); }
};

struct Sample {
  int count = 1;
  bool on = false;
  std::string name;
  std::vector<std::string> list;
  Inner inner;
  void fields(auto&& field) {
    field("count", count, "a whole number");
    field("on", on, "a switch");
    field("name", name, "a text");
    field("list", list, "texts");
    field("inner", inner, "");
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Sample sample;
  const auto fields = fovea::fields_of(sample);
  try {
    fovea::read_yaml(text, "fuzz.yaml", fields);
  } catch (const fovea::Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) abort();
    return 0;
  }
  const std::string written = fovea::write_yaml(fields);
  Sample again;
  const auto fields_again = fovea::fields_of(again);
  fovea::read_yaml(written, "written.yaml", fields_again);
  if (!fovea::changed_fields(fields, fields_again).empty()) abort();
  return 0;
}
