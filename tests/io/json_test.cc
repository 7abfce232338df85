#include "fovea/io/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fovea/io/yaml.h"

namespace fovea {
namespace {

struct Inner {
  double share = 0.5;
  std::vector<std::string> names = {"a\"b", "c\\d\n", "1"};
  void fields(auto&& field) {
    field("share", share, "");
    field("names", names, "");
  }
};

struct Outer {
  int count = 3;
  bool on = true;
  std::string text = "true";
  Inner inner;
  std::vector<double> numbers = {};
  void fields(auto&& field) {
    field("count", count, "");
    field("on", on, "");
    field("text", text, "");
    field("inner", inner, "");
    field("numbers", numbers, "");
  }
};

TEST(WriteJson, KeepsTypesAndNestsGroups) {
  Outer config;
  config.numbers = {1, 2.5};
  const auto json = nlohmann::json::parse(write_json(fields_of(config)));
  EXPECT_EQ(json["count"], 3);
  EXPECT_EQ(json["on"], true);
  EXPECT_EQ(json["text"], "true");
  EXPECT_EQ(json["inner"]["share"], 0.5);
  EXPECT_EQ(json["inner"]["names"][1], "c\\d\n");
  EXPECT_EQ(json["numbers"], nlohmann::json::parse("[1, 2.5]"));
}

TEST(WriteJson, IsReadBackAsYaml) {
  Outer config;
  config.text = "caf\u00e9 \xf0\x9f\x99\x82 / ' : #";
  config.numbers = {1e-9, 1e300};
  Outer back;
  back.text = "";
  read_yaml(write_json(fields_of(config)), "test", fields_of(back));
  EXPECT_TRUE(changed_fields(fields_of(config), fields_of(back)).empty());
}

}  // namespace
}  // namespace fovea
