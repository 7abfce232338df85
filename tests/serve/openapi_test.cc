// The description of the interface says what the server does.
#include <gtest/gtest.h>

#include <set>

#include "fovea/serve/routes.h"
#include "support/served.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using testing::Json;

// What of JSON Schema the description uses.
class Schemas {
 public:
  explicit Schemas(Json description) : all_(std::move(description)) {}

  // Empty, or what is wrong where.
  std::string fault(const Json& schema, const Json& value,
                    const std::string& where = "answer") const {
    if (schema.contains("$ref")) {
      const std::string name = schema["$ref"];
      return fault(all_.at(Json::json_pointer(name.substr(1))), value, where);
    }
    for (const char* any : {"oneOf", "anyOf"}) {
      if (!schema.contains(any) || schema.contains("type")) continue;
      for (const Json& one : schema[any]) {
        if (fault(one, value, where).empty()) return "";
      }
      return where + " is none of several";
    }
    if (schema.contains("const") && schema["const"] != value) {
      return where + " is another constant";
    }
    if (schema.contains("enum")) {
      const auto& values = schema["enum"];
      if (std::find(values.begin(), values.end(), value) == values.end()) {
        return where + " is none of its values";
      }
    }
    if (!has_type(schema, value)) return where + " is of another type";
    if (value.is_object()) return object_fault(schema, value, where);
    if (value.is_array() && schema.contains("items")) {
      for (const Json& one : value) {
        const std::string wrong = fault(schema["items"], one, where + "[]");
        if (!wrong.empty()) return wrong;
      }
    }
    return "";
  }

  const Json& all() const { return all_; }

 private:
  static bool has_type(const Json& schema, const Json& value) {
    if (!schema.contains("type")) return true;
    const Json types = schema["type"].is_array()
                           ? schema["type"]
                           : Json::array({schema["type"]});
    for (const std::string type : types) {
      const bool is = type == "object"    ? value.is_object()
                      : type == "array"   ? value.is_array()
                      : type == "string"  ? value.is_string()
                      : type == "boolean" ? value.is_boolean()
                      : type == "integer" ? value.is_number_integer()
                      : type == "number"  ? value.is_number()
                                          : value.is_null();
      if (is) return true;
    }
    return false;
  }

  std::string object_fault(const Json& schema, const Json& value,
                           const std::string& where) const {
    for (const Json& name : schema.value("required", Json::array())) {
      if (!value.contains(name)) return where + " lacks " + name.dump();
    }
    const Json known = schema.value("properties", Json::object());
    for (const auto& [name, inner] : value.items()) {
      if (!known.contains(name)) {
        if (schema.value("additionalProperties", Json(true)) != false) continue;
        return where + " has " + name + ", which is not described";
      }
      const std::string wrong = fault(known[name], inner, where + "." + name);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  const Json all_;
};

class OpenApi : public ::testing::Test {
 protected:
  OpenApi()
      : schemas_(json_of(HttpClient(served_.port()).get("/openapi.json"))) {}

  void expect_described(const std::string& method, const std::string& path,
                        const std::string& body, int status) {
    HttpClient client(served_.port());
    client.send(HttpClient::request_text(method, path, body, ""));
    const HttpAnswer answer = client.receive();
    EXPECT_EQ(answer.status, status) << path << answer.body;
    const Json& operation =
        schemas_.all()["paths"][path][method == "GET" ? "get" : "post"];
    const Json& responses = operation["responses"];
    ASSERT_TRUE(responses.contains(std::to_string(status))) << path << status;
    const Json& content = responses[std::to_string(status)]["content"];
    if (!content.contains("application/json")) return;
    EXPECT_EQ(
        schemas_.fault(content["application/json"]["schema"], json_of(answer)),
        "")
        << method << " " << path << " " << body;
    if (method == "POST" && status == 200) {
      const Json& schema =
          operation["requestBody"]["content"]["application/json"]["schema"];
      EXPECT_EQ(schemas_.fault(schema, Json::parse(body)), "") << body;
    }
  }

  const Served served_;
  const Schemas schemas_;
};

TEST_F(OpenApi, HasAllRoutesAndNoOther) {
  EXPECT_EQ(schemas_.all()["openapi"], "3.1.0");
  std::set<std::string> described, served;
  for (const auto& [path, item] : schemas_.all()["paths"].items()) {
    for (const auto& [method, operation] : item.items()) {
      described.insert(method + " " + path);
    }
  }
  for (const Route& route : all_routes()) {
    const bool reads = std::string(route.method) == "GET";
    served.insert(std::string(reads ? "get " : "post ") + route.path);
  }
  EXPECT_EQ(described, served);
}

TEST_F(OpenApi, DescribesAnswers) {
  for (const char* path :
       {"/health", "/metrics", "/openapi.json", "/v1/models", "/languages",
        "/frontend/settings", "/translator/models"}) {
    expect_described("GET", path, "", 200);
  }
  for (const char* alignment : {"words", "tokens", "soft"}) {
    const Json body = {{"texts", {"my dog", ""}},
                       {"alignment", alignment},
                       {"word_scores", true},
                       {"n_best", 2},
                       {"seed", 3},
                       {"heads", {0}}};
    expect_described("POST", "/v1/translate", body.dump(), 200);
  }
  const std::string pair = R"("source": "my dog", "target": "the cat")";
  expect_described(
      "POST", "/v1/score",
      "{" + pair + R"(, "alignment": "soft", "word_scores": true})", 200);
  expect_described("POST", "/v1/align", R"({"pairs": [{)" + pair + "}]}", 200);
  expect_described("POST", "/v1/tokenize", R"({"text": "my dog"})", 200);
  expect_described("POST", "/v1/explain", R"({"source": "my dog"})", 200);
  expect_described(
      "POST", "/translate",
      R"({"q": ["my dog"], "source": "auto", "target": "fr", "alternatives": 1})",
      200);
  expect_described(
      "POST", "/translate",
      R"({"q": "<b>a</b>", "source": "en", "target": "fr", "format": "html"})",
      200);
  expect_described("POST", "/v1/translate",
                   R"({"text": "A. B.", "split": false})", 200);
  expect_described("POST", "/detect", R"({"q": "my dog"})", 200);
  expect_described("POST", "/translator/translate", R"([{"src": "my dog"}])",
                   200);
}

TEST_F(OpenApi, DescribesErrors) {
  for (const char* path :
       {"/v1/translate", "/v1/score", "/v1/align", "/v1/tokenize",
        "/v1/explain", "/translate", "/detect", "/translator/translate"}) {
    expect_described("POST", path, "5", 400);
  }
  expect_described("POST", "/v1/translate", R"({"text": "a", "model": "b"})",
                   404);
  expect_described("POST", "/v1/translate",
                   Json{{"text", std::string(20001, 'a')}}.dump(), 413);
}

}  // namespace
}  // namespace fovea
