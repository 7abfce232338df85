// Who may ask: pages of other origins, names of the server, keys.
#include <gtest/gtest.h>

#include "fovea/base/check.h"
#include "support/served.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using testing::Json;

TEST(ApiCors, LetsPagesOfOneOriginAsk) {
  ServerConfig config;
  config.cors = "https://a.example";
  const Served served(config);
  HttpClient client(served.port());
  EXPECT_EQ(client.get("/health").headers.at("access-control-allow-origin"),
            "https://a.example");
  const auto options = [&](const std::string& path) {
    client.send(HttpClient::request_text("OPTIONS", path, "", "Origin: x\r\n"));
    return client.receive();
  };
  const HttpAnswer answer = options("/v1/translate");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.headers.at("access-control-allow-methods"), "POST");
  EXPECT_EQ(options("/nowhere").status, 404);
}

TEST(ApiHosts, ANewRequestMustNameItsHost) {
  const Served served;
  for (const auto& [head, status] : std::map<std::string, int>{
           {"HTTP/1.1", 400}, {"HTTP/1.1\r\nHost:", 200}, {"HTTP/1.0", 200}}) {
    HttpClient client(served.port());
    client.send("GET /health " + head + "\r\n\r\n");
    EXPECT_EQ(client.receive().status, status) << head;
  }
}

TEST(ApiCors, IsInErrorsOfTheHttpLayer) {
  ServerConfig config;
  config.cors = "*";
  const Served served(config);
  HttpClient client(served.port());
  client.send("nonsense\r\n\r\n");
  const HttpAnswer answer = client.receive();
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.headers.at("access-control-allow-origin"), "*");
  EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff");
}

TEST(ApiCors, MustBeAnOrigin) {
  for (const char* wrong : {"example.org", "https://example.org/", "https://",
                            "https://a b", "https://a\r\nX: y", "**"}) {
    ServerConfig config;
    config.http.port = 0;
    config.cors = wrong;
    EXPECT_THROW(Server(config, {"box"}), Error) << wrong;
  }
}

TEST(ApiHost, RefusesNamesThatAreNotThisMachines) {
  ServerConfig config;
  config.allow_host = {"box.example"};
  const Served served(config);
  const auto status = [&](const std::string& host) {
    HttpClient client(served.port());
    client.send("GET /health HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return client.receive().status;
  };
  EXPECT_EQ(status("evil.example"), 421);
  EXPECT_EQ(status("evil.example:8080"), 421);
  EXPECT_EQ(status("localhost:8080"), 200);
  EXPECT_EQ(status("127.0.0.1"), 200);
  EXPECT_EQ(status("box.example"), 200);
}

TEST(ApiHost, TakesAnyNameIfAKeyIsNeededOrOthersCanReachIt) {
  const TempFolder folder;
  for (bool keys : {false, true}) {
    ServerConfig config;
    if (keys) config.api_keys = folder.write("keys", "secret-one\n");
    if (!keys) config.http.host = "0.0.0.0";
    const Served served(config);
    HttpClient client(served.port());
    client.send("GET /health HTTP/1.1\r\nHost: a.example\r\n\r\n");
    EXPECT_EQ(client.receive().status, 200);
  }
}

TEST(ApiKeys, AreReadAnew) {
  const TempFolder folder;
  ServerConfig config;
  config.api_keys = folder.write("keys", "secret-one\n");
  const Served served(config);
  HttpClient client(served.port());
  const auto status = [&](const std::string& key) {
    return client.get("/languages?api_key=" + key).status;
  };
  EXPECT_EQ(status("secret-one"), 200);
  folder.write("keys", "secret-two\n");
  EXPECT_EQ(status("secret-two"), 403);
  served.server().load_keys();
  EXPECT_EQ(status("secret-one"), 403);
  EXPECT_EQ(status("secret-two"), 200);
  folder.write("keys", "\n");
  EXPECT_THROW(served.server().load_keys(), Error);
  EXPECT_EQ(status("secret-two"), 200);
}

TEST(ApiKeys, AreNeeded) {
  const TempFolder folder;
  ServerConfig config;
  config.api_keys = folder.write("keys", "# ours\nsecret-one\n\nsecret-two\n");
  const Served served(config);
  HttpClient client(served.port());
  const std::string body = R"({"text": "my dog"})";
  EXPECT_EQ(client.post("/v1/translate", body).status, 401);
  EXPECT_EQ(
      client.post("/v1/translate", body, "Authorization: Bearer wrong-one\r\n")
          .status,
      401);
  EXPECT_EQ(
      client.post("/v1/translate", body, "Authorization: Bearer secret-two\r\n")
          .status,
      200);
  EXPECT_EQ(
      client.post("/v1/translate", body, "X-API-Key: secret-one\r\n").status,
      200);
  EXPECT_EQ(client.get("/metrics").status, 401);
  EXPECT_EQ(client.get("/health").status, 200);
  const std::string libre = R"({"q": "a", "source": "en", "target": "fr")";
  EXPECT_EQ(client.post("/translate", libre + "}").status, 403);
  EXPECT_EQ(
      client.post("/translate", libre + R"(, "api_key": "secret-one"})").status,
      200);
}

TEST(ApiKeys, MustBeOfSomeLength) {
  const TempFolder folder;
  ServerConfig config;
  config.http.port = 0;
  config.api_keys = folder.write("keys", "short\n");
  EXPECT_THROW(Server(config, {"box"}), Error);
  config.api_keys = folder.write("none", "# nothing\n");
  EXPECT_THROW(Server(config, {"box"}), Error);
}

}  // namespace
}  // namespace fovea
