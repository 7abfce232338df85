#include "fovea/decode/search_all.h"

#include <gtest/gtest.h>

#include <string>

#include "fovea/base/check.h"

namespace fovea {
namespace {

SearchAllConfig config(int batch, const SearchConfig& search) {
  SearchAllConfig all;
  all.batch_size = batch;
  all.search = search;
  return all;
}

TEST(SearchAllConfig, CountsHypothesesNotSentences) {
  EXPECT_EQ(config(64, {.beam_size = 1}).limits().sentences, 64);
  EXPECT_EQ(config(64, {.beam_size = 4}).limits().sentences, 16);
  EXPECT_EQ(config(64, {.beam_size = 5}).limits().sentences, 12);
  EXPECT_EQ(config(3, {.beam_size = 5}).limits().sentences, 1);
  const SearchConfig drawn{.beam_size = 5, .n_best = 2, .sample = true};
  EXPECT_EQ(config(64, drawn).limits().sentences, 32);
}

TEST(SearchAllConfig, NamesABatchOfNothing) {
  try {
    config(0, {}).limits();
    FAIL() << "a batch of nothing";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(std::string(error.what()).find("--batch-size"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace fovea
