#include "support/served.h"

#include "fovea/base/parallel.h"
#include "support/translator_folder.h"

namespace fovea::testing {

Served::Served(ServerConfig config, int threads)
    : model_(write_model_folder(folder_.file("tiny-en-fr"))) {
  const ThreadLimit limit(threads);
  config.http.port = 0;
  server_ = std::make_unique<Server>(config, std::vector{model_});
  server_->load();
}

Json json_of(const HttpAnswer& answer) {
  const Json json = Json::parse(answer.body, nullptr, false);
  return json.is_discarded() ? Json() : json;
}

std::string message_of(const HttpAnswer& answer) {
  const Json json = json_of(answer);
  if (!json.is_object() || !json.contains("error")) return "";
  const Json& error = json["error"];
  return error.is_object() ? error["message"] : error;
}

std::vector<std::pair<std::string, Json>> events_of(const HttpAnswer& answer) {
  std::vector<std::pair<std::string, Json>> events;
  const std::string name = "event: ", data = "\ndata: ";
  for (size_t at = answer.body.find(name); at != std::string::npos;
       at = answer.body.find(name, at + 1)) {
    const size_t middle = answer.body.find(data, at);
    const size_t begin = middle + data.size();
    const size_t end = answer.body.find("\n\n", begin);
    events.emplace_back(
        answer.body.substr(at + name.size(), middle - at - name.size()),
        Json::parse(answer.body.substr(begin, end - begin), nullptr, false));
  }
  return events;
}

}  // namespace fovea::testing
