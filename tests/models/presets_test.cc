#include "fovea/models/presets.h"

#include <gtest/gtest.h>

#include <set>

#include "fovea/base/check.h"
#include "fovea/models/seq2seq.h"

namespace fovea {
namespace {

int64_t parameters(const std::string& name, int vocabulary) {
  ModelConfig config = preset(name);
  config.vocabulary.source = config.vocabulary.target = vocabulary;
  Seq2Seq model(config, RandomKey(1));
  return Params(model).count();
}

TEST(Presets, TheTransformersHaveThePublishedSizes) {
  EXPECT_EQ(parameters("transformer-base", 37000), 63082496);
  EXPECT_EQ(parameters("transformer-big", 37000), 214245376);
}

TEST(Presets, EveryoneCanBeMade) {
  std::set<std::string> names;
  for (const Preset& p : all_presets()) {
    SCOPED_TRACE(p.name);
    EXPECT_TRUE(names.insert(p.name).second) << "twice";
    ModelConfig config = p.make();
    config.vocabulary.source = config.vocabulary.target = 10;
    EXPECT_NO_THROW(Seq2Seq(config, RandomKey(1)));
  }
}

TEST(Presets, AnUnknownNameTellsTheNearest) {
  try {
    preset("rnsearch");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(std::string(error.what()).find("rnnsearch"), std::string::npos);
  }
}

TEST(Presets, TheSizeFollowsTheAmountOfText) {
  EXPECT_EQ(size_for_data(1000).preset, "transformer-tiny");
  EXPECT_EQ(size_for_data(1000).vocabulary, 4000);
  EXPECT_EQ(size_for_data(29000).vocabulary, 7200);
  EXPECT_EQ(size_for_data(49999).vocabulary, 10000);
  EXPECT_EQ(size_for_data(50000).preset, "transformer-small");
  EXPECT_EQ(size_for_data(500000).preset, "transformer-small");
  EXPECT_EQ(size_for_data(500001).preset, "transformer-medium");
}

}  // namespace
}  // namespace fovea
