#include "fovea/base/fields.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

namespace fovea {

enum class Mode { kSlow, kFast };
constexpr EnumName<Mode> kModes[] = {{Mode::kSlow, "slow"},
                                     {Mode::kFast, "fast"}};
constexpr auto& enum_names(Mode) { return kModes; }

namespace {

struct Inner {
  int width = 8;
  void fields(auto&& field) { field("width", width, "units of a layer"); }
};

struct Sample {
  bool tied = false;
  int layers = 2;
  int64_t seed = 7;
  float lr = 3e-4f;
  double decay = 0.1;
  std::string name = "toy";
  std::vector<int> sizes = {1, 2};
  std::vector<std::string> files;
  Mode mode = Mode::kSlow;
  Inner inner;
  void fields(auto&& field) {
    field("tied", tied, "share the embeddings");
    field("layers", layers, "number of layers");
    field("seed", seed, "seed of all random numbers");
    field("lr", lr, "peak learning rate");
    field("decay", decay, "weight decay");
    field("name", name, "name of the run");
    field("sizes", sizes, "sizes to try");
    field("files", files, "files to read");
    field("mode", mode, "how to run");
    field("inner", inner, "");
  }
};

const Field& named(const std::vector<Field>& fields, const std::string& name) {
  for (const Field& field : fields) {
    if (field.name == name) return field;
  }
  throw std::out_of_range(name);
}

TEST(Fields, ListsEveryFieldOnceInOrder) {
  Sample sample;
  EXPECT_EQ(
      field_names(fields_of(sample)),
      (std::vector<std::string>{"tied", "layers", "seed", "lr", "decay", "name",
                                "sizes", "files", "mode", "inner.width"}));
}

TEST(Fields, ReadsAndWritesEveryType) {
  Sample sample;
  const std::vector<Field> fields = fields_of(sample);
  const std::pair<const char*, Field::Texts> values[] = {
      {"tied", {"true"}},         {"layers", {"-3"}},
      {"seed", {"9000000000"}},   {"lr", {"0.001"}},
      {"decay", {"1e-09"}},       {"name", {"a b"}},
      {"sizes", {"4", "5", "6"}}, {"files", {"x", ""}},
      {"mode", {"fast"}},         {"inner.width", {"64"}}};
  for (const auto& [name, texts] : values) {
    EXPECT_TRUE(named(fields, name).set(texts)) << name;
    EXPECT_EQ(named(fields, name).get(), texts) << name;
  }
  EXPECT_TRUE(sample.tied);
  EXPECT_EQ(sample.seed, 9000000000);
  EXPECT_EQ(sample.sizes, (std::vector<int>{4, 5, 6}));
  EXPECT_EQ(sample.mode, Mode::kFast);
  EXPECT_EQ(sample.inner.width, 64);
}

TEST(Fields, RefusesTextOfTheWrongTypeAndKeepsTheValue) {
  Sample sample;
  const std::vector<Field> fields = fields_of(sample);
  const std::pair<const char*, Field::Texts> values[] = {
      {"tied", {"maybe"}},  {"layers", {"2.5"}},        {"layers", {""}},
      {"layers", {"7 "}},   {"layers", {"3000000000"}}, {"lr", {"fast"}},
      {"lr", {"1e"}},       {"mode", {"medium"}},       {"sizes", {"1", "x"}},
      {"name", {"a", "b"}}, {"seed", {"0x10"}}};
  const Field::Texts before = {describe_fields(fields)};
  for (const auto& [name, texts] : values) {
    EXPECT_FALSE(named(fields, name).set(texts)) << name << " " << texts[0];
  }
  EXPECT_EQ(Field::Texts{describe_fields(fields)}, before);
}

TEST(Fields, SayWhatAValueShouldHaveBeen) {
  Sample sample;
  const std::vector<Field> fields = fields_of(sample);
  EXPECT_EQ(bad_value(named(fields, "lr"), {"fast"}), "'fast' is not a number");
  EXPECT_EQ(bad_value(named(fields, "mode"), {"medium"}),
            "'medium' is not one of slow, fast");
}

TEST(Fields, NameWhatChanged) {
  Sample a, b;
  b.lr = 0.5f;
  b.sizes = {};
  b.inner.width = 9;
  EXPECT_EQ(changed_fields(fields_of(a), fields_of(b)),
            (std::vector<FieldChange>{{"lr", "0.0003", "0.5"},
                                      {"sizes", "[1, 2]", "[]"},
                                      {"inner.width", "8", "9"}}));
  EXPECT_TRUE(changed_fields(fields_of(a), fields_of(a)).empty());
}

TEST(Fields, DescribeThemselvesInColumns) {
  Inner inner;
  EXPECT_EQ(describe_fields(fields_of(inner)), "width  units of a layer (8)\n");
}

TEST(Fields, KeepEveryBitOfANumber) {
  rc::check([](float value) {
    Sample a, b;
    a.lr = value;
    named(fields_of(b), "lr").set(named(fields_of(a), "lr").get());
    RC_ASSERT(b.lr == a.lr);
  });
  Sample a, b;
  a.decay = std::numeric_limits<double>::denorm_min();
  named(fields_of(b), "decay").set(named(fields_of(a), "decay").get());
  EXPECT_EQ(a.decay, b.decay);
}

}  // namespace
}  // namespace fovea
