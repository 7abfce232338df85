#include "fovea/data/shortlist.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "fovea/base/check.h"
#include "fovea/base/rng.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using testing::TempFolder;

constexpr int kEnd = 2, kSource = 50, kTarget = 150;
const ShortlistWords kWords = {
    .source = kSource, .target = kTarget, .end = kEnd};

// Word w translates to 100 + w; 7 stands in every target.
struct Text {
  Sentences source, target;
};
Text dictionary(int pairs) {
  Text text;
  for (int i = 0; i < pairs; ++i) {
    const RandomKey key = RandomKey(1).with(i);
    std::vector<int> source, target = {7};
    for (uint32_t j = 0; j < 2 + random_below(key, 0, 5); ++j) {
      source.push_back(
          static_cast<int>(10 + random_below(key.with("word"), j, 30)));
      target.push_back(100 + source.back());
    }
    text.source.add(source);
    text.target.add(target);
  }
  return text;
}

Shortlist learnt(ShortlistWords words = kWords,
                 const ShortlistConfig& config = {.each = 1, .frequent = 1}) {
  const Text text = dictionary(400);
  return Shortlist::learn(text.source, text.target, words, config);
}

std::vector<int> for_ids(const Shortlist& shortlist, std::vector<int> ids) {
  return shortlist.words_for(ids);
}

TEST(Shortlist, HasTranslationsFrequentTokensAndTheEndMark) {
  EXPECT_EQ(for_ids(learnt(), {30, 12, 30}),
            (std::vector<int>{kEnd, 7, 112, 130}));
}

TEST(Shortlist, OfUnknownTokensHasTheRestOnly) {
  EXPECT_EQ(for_ids(learnt(), {0, 49, -1, 1000}), (std::vector<int>{kEnd, 7}));
  EXPECT_EQ(for_ids(learnt(), {}), (std::vector<int>{kEnd, 7}));
}

TEST(Shortlist, HasCopiesAndWhatIsAskedForAlways) {
  ShortlistWords words = kWords;
  words.copies.assign(kSource, -1);
  words.copies[45] = 145;
  words.copies[12] = 12;
  words.always = {149, 0};
  EXPECT_EQ(for_ids(learnt(words), {12, 45}),
            (std::vector<int>{0, kEnd, 7, 12, 112, 145, 149}));
}

TEST(Shortlist, LeavesOutWhatIsUnlikely) {
  const size_t few = for_ids(learnt(kWords,
                                    {.each = 40, .frequent = 0, .least = 0.1f}),
                             {12})
                         .size(),
               many = for_ids(learnt(kWords,
                                     {.each = 40, .frequent = 0, .least = 0}),
                              {12})
                          .size();
  EXPECT_LT(few, many);
}

TEST(Shortlist, RefusesNumbersThatMakeNoSense) {
  EXPECT_THROW(learnt(kWords, {.each = 0}), Error);
  EXPECT_THROW(learnt(kWords, {.frequent = -1}), Error);
  EXPECT_THROW(learnt(kWords, {.least = 1}), Error);
}

RC_GTEST_PROP(Shortlist, IsTheSortedUnionOfItsTokensLists, ()) {
  static const Shortlist shortlist =
      learnt(kWords, {.each = 5, .frequent = 10});
  const auto ids =
      *rc::gen::container<std::vector<int>>(rc::gen::inRange(-2, kSource + 2));
  std::set<int> all;
  for (const int word : shortlist.words_for({})) all.insert(word);
  for (const int id : ids) {
    for (const int word : shortlist.words_for({&id, 1})) all.insert(word);
  }
  RC_ASSERT(shortlist.words_for(ids) ==
            std::vector<int>(all.begin(), all.end()));
}

TEST(Shortlist, ComesBackFromItsFile) {
  const TempFolder folder;
  const Shortlist shortlist = learnt(kWords, {.each = 5, .frequent = 10});
  shortlist.save(folder.file("a"));
  const Shortlist read =
      Shortlist::read(SafetensorsFile(folder.file("a")), kWords);
  for (int s = 0; s < kSource; ++s) {
    EXPECT_EQ(for_ids(read, {s}), for_ids(shortlist, {s}));
  }
  read.save(folder.file("b"));
  EXPECT_EQ(testing::bytes_of(folder.file("a")),
            testing::bytes_of(folder.file("b")));
}

// A file with some of its lists replaced.
class ShortlistFile : public ::testing::Test {
 protected:
  std::string complaint() const {
    std::vector<TensorBytes> tensors;
    for (const auto& [name, numbers] : lists) {
      tensors.push_back({name,
                         "I32",
                         {std::ssize(numbers)},
                         std::as_bytes(std::span(numbers))});
    }
    save_safetensors(folder_.file("a"), tensors);
    try {
      Shortlist::read(SafetensorsFile(folder_.file("a")),
                      {.source = 2, .target = 9, .end = kEnd});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      return error.what();
    }
    return "nothing";
  }

  TempFolder folder_;
  std::map<std::string, std::vector<int>> lists = {{"sizes", {2, 9}},
                                                   {"always", {1, kEnd}},
                                                   {"begins", {0, 1, 2}},
                                                   {"words", {5, 8}}};
};

TEST_F(ShortlistFile, ThatIsRightIsRead) { EXPECT_EQ(complaint(), "nothing"); }

TEST_F(ShortlistFile, ThatIsWrongIsRefused) {
  const auto right = lists;
  const std::pair<const char*, std::vector<int>> faults[] = {
      {"sizes", {2, 8}},     {"sizes", {}},          {"always", {1}},
      {"always", {kEnd, 1}}, {"always", {kEnd, 9}},  {"begins", {0, 1}},
      {"begins", {0, 2, 1}}, {"begins", {1, 1, 2}},  {"begins", {0, 1, 3}},
      {"begins", {}},        {"begins", {0, -5, 2}}, {"words", {5, 9}},
      {"words", {-1, 8}}};
  for (const auto& [name, numbers] : faults) {
    lists = right;
    lists[name] = numbers;
    EXPECT_TRUE(complaint().starts_with(folder_.file("a"))) << name;
  }
  lists = right;
  lists.erase("words");
  EXPECT_NE(complaint().find("'words'"), std::string::npos);
}

}  // namespace
}  // namespace fovea
