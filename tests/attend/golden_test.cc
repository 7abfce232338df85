// Mechanisms against what an independent program computed: see
// tests/golden/make_attend.py.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/attend_case.h"
#include "support/compare.h"
#include "support/gradients.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library
using nlohmann::json;

std::vector<std::string> golden_files() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(FOVEA_GOLDEN_PATH "/attend")) {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

ComposedConfig config_of(const json& given) {
  ComposedConfig config;
  for (Field& field : fields_of(config)) {
    if (!given.contains(field.name)) continue;
    const json& value = given[field.name];
    Field::Texts texts;
    for (const json& one : value.is_array() ? value : json::array({value})) {
      texts.push_back(one.is_string() ? one.get<std::string>() : one.dump());
    }
    EXPECT_TRUE(field.set(texts)) << field.name;
  }
  return config;
}

Var table_of(const json& table) {
  const auto shape = table["shape"].get<std::vector<int64_t>>();
  const auto values = table["values"].get<std::vector<float>>();
  const Shape s =
      shape.size() == 1 ? Shape{shape[0]} : Shape{shape[0], shape[1]};
  return Var::parameter(Tensor::from(s, values));
}

Doubles numbers(const json& table) {
  return table["values"].get<std::vector<double>>();
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, WeightsResultsAndGradientsAgree) {
  std::ifstream in(GetParam());
  const json golden = json::parse(in);
  const auto sizes = golden["sizes"].get<std::vector<int>>();
  AttendCase c{.config = config_of(golden["config"]),
               .sizes = {.query = sizes[0], .key = sizes[1], .value = sizes[2]},
               .queries = golden["query_lengths"],
               .keys = golden["key_lengths"]};
  const auto attention = new_attention(c.config, c.sizes);
  AttendRows rows;
  std::map<std::string, Var> inputs;
  for (const auto& [name, table] : golden["inputs"].items()) {
    const Var value = inputs[name] = table_of(table);
    if (name == "queries") {
      rows.queries = value;
    } else if (name == "keys") {
      rows.keys = value;
    } else if (name == "values") {
      rows.values = value;
    } else {
      Var& own = param(*attention, name);
      ASSERT_EQ(own.value().size(), value.value().size()) << name;
      own = Var::parameter(value.value().reshaped(own.shape()));
      inputs[name] = own;
    }
  }
  const Params params(*attention);
  for (const auto& p : params.parameters()) {
    EXPECT_TRUE(inputs.contains(p.name)) << p.name << " is not golden";
  }
  const Tensor dy = table_of(golden["dy"]).value();
  for (const bool want_weights : {true, false}) {
    const Attended out = attend_once(*attention, c, rows, want_weights);
    if (want_weights) {
      EXPECT_TRUE(close(out.weights.values.value(),
                        golden["weights"].get<Doubles>(), 1e-5));
    }
    EXPECT_TRUE(close(out.context.value(), numbers(golden["context"]), 1e-5));
    out.context.backward(dy);
    for (const auto& [name, input] : inputs) {
      ASSERT_TRUE(input.grad()) << name;
      // Some gradients are 0 in theory: a floor for what rounding leaves.
      EXPECT_TRUE(close(input.grad(), numbers(golden["gradients"][name]),
                        kGradientTolerance, 1.0))
          << name;
      input.clear_grad();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Attend, Golden, ::testing::ValuesIn(golden_files()), [](const auto& file) {
      return std::filesystem::path(file.param).stem().string();
    });

}  // namespace
}  // namespace fovea
