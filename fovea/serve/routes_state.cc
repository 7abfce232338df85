// What the server is and how it does.
#include "fovea/base/version.h"
#include "fovea/io/file_source.h"
#include "fovea/serve/http_error.h"
#include "fovea/serve/routes.h"

namespace fovea {

std::span<const EmbeddedFile> api_files();  // made by tools/embed_assets

void answer_health(const Services& services, const CallRef& call) {
  const bool ready = services.models.ready();
  const bool overloaded = ready && services.batcher.overloaded();
  HttpResponse response;
  response.status = ready && !overloaded ? 200 : 503;
  if (response.status != 200) {
    response.headers = {
        {"Retry-After", std::to_string(services.batcher.retry_after())}};
  }
  response.body = dump(Json{{"status", !ready       ? "loading"
                                       : overloaded ? "overloaded"
                                                    : "ready"},
                            {"waiting", services.batcher.waiting()},
                            {"version", version()}});
  call->send(std::move(response));
}

void answer_metrics(const Services& services, const CallRef& call) {
  const Metrics::Now now{
      .waiting = services.batcher.waiting(),
      .connections = services.connections(),
      .models = static_cast<int>(services.models.all().size())};
  call->send({.type = "text/plain; version=0.0.4; charset=utf-8",
              .body = services.metrics.text(now)});
}

void answer_openapi(const Services&, const CallRef& call) {
  const FileSource files("api", api_files());
  call->send(HttpResponse{.body = files.text("openapi.json")});
}

void answer_models(const Services& services, const CallRef& call) {
  Json data = Json::array();
  for (const ModelRef& model : services.models.all()) {
    const Translator& translator = model->translator;
    const auto language = [](const std::string& code) {
      return code.empty() ? Json(nullptr) : Json(code);
    };
    data.push_back({{"id", model->place.name},
                    {"object", "model"},
                    {"task", "translate"},
                    {"source", language(model->place.source)},
                    {"target", language(model->place.target)},
                    {"attention", translator.has_attention()},
                    {"shortlist", translator.has_shortlist()},
                    {"source_tokens", translator.source().size()},
                    {"target_tokens", translator.target().size()}});
  }
  check_request(!data.empty(), 503, "the models are being loaded");
  call->send(Json{{"object", "list"}, {"data", data}});
}

}  // namespace fovea
