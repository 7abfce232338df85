// Scores against those of sacreBLEU: see tests/golden/make_eval.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fovea/base/check.h"
#include "fovea/eval/registry.h"

namespace fovea {
namespace {

using nlohmann::json;

std::vector<std::string> golden_files() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(FOVEA_GOLDEN_PATH "/eval")) {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The metric that the script calls so.
std::unique_ptr<Metric> metric_called(const std::string& name) {
  MetricOptions o;
  o.lowercase = name.ends_with("lowercase");
  if (name == "bleu none") o.tokenize = BleuTokenizer::kNone;
  if (name.starts_with("bleu floor")) o.smooth_method = BleuSmoothing::kFloor;
  if (name == "bleu floor 0.01") o.smooth_value = 0.01;
  if (name == "bleu add-k") o.smooth_method = BleuSmoothing::kAddK;
  if (name == "bleu unsmoothed") o.smooth_method = BleuSmoothing::kNone;
  o.effective_order = name == "bleu effective";
  o.chrf_eps_smoothing = name == "chrf eps";
  if (name == "chrf order 3 beta 1") o.chrf_char_order = 3, o.chrf_beta = 1;
  o.ter_case_sensitive = name == "ter cased";
  o.ter_normalized = name == "ter normalized" || name == "ter asian";
  o.ter_no_punct = name == "ter no punct" || name == "ter asian";
  o.ter_asian_support = name == "ter asian";
  if (name == "chrf eps") return make_metric("chrf++", o);
  return make_metric(name.substr(0, name.find(' ')), o);
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, ScoresAgree) {
  std::ifstream in(GetParam());
  const json golden = json::parse(in);
  for (const json& c : golden["cases"]) {
    const auto output = c["hypotheses"].get<std::vector<std::string>>();
    const auto lines =
        c["references"].get<std::vector<std::vector<std::string>>>();
    std::vector<MetricText> references;
    for (const auto& reference : lines) references.push_back({reference});
    for (const auto& [name, score] : c["scores"].items()) {
      const auto metric = metric_called(name);
      const MetricCounts counts = metric->count({output}, references);
      EXPECT_NEAR(metric->score(counts.sums()), score.get<double>(), 1e-6)
          << name;
      if (!c["sentences"].contains(name)) continue;
      for (size_t i = 0; i < output.size(); ++i) {
        EXPECT_NEAR(metric->sentence_score(counts.row(static_cast<int64_t>(i))),
                    c["sentences"][name][i].get<double>(), 1e-6)
            << name << ": " << output[i];
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    SacreBleu, Golden, ::testing::ValuesIn(golden_files()),
    [](const ::testing::TestParamInfo<std::string>& file) {
      return std::filesystem::path(file.param).stem().string();
    });

}  // namespace
}  // namespace fovea
