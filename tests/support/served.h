#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fovea/serve/server.h"
#include "support/http_client.h"
#include "support/temp_folder.h"

namespace fovea::testing {

// A server with a small random model, in this process, on a port of its own.
class Served {
 public:
  explicit Served(ServerConfig config = {}, int threads = 2);

  HttpClient client() const { return HttpClient(server().port()); }
  int port() const { return server().port(); }
  Server& server() const { return *server_; }
  const std::string& model() const { return model_; }
  const TempFolder& folder() const { return folder_; }

 private:
  const TempFolder folder_;
  const std::string model_;
  std::unique_ptr<Server> server_;
};

using Json = nlohmann::ordered_json;

// The body of an answer; null if it is no JSON.
Json json_of(const HttpAnswer& answer);
std::string message_of(const HttpAnswer& answer);  // of an error

// The events of a stream, in their order: name and data.
std::vector<std::pair<std::string, Json>> events_of(const HttpAnswer& answer);

}  // namespace fovea::testing
