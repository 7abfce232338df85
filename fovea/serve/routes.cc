#include "fovea/serve/routes.h"

#include "fovea/base/unicode.h"
#include "fovea/serve/http_text.h"

namespace fovea {

const std::vector<Route>& all_routes() {
  static const std::vector<Route> routes = {
      {"GET", "/health", answer_health, true, error_response},
      {"GET", "/openapi.json", answer_openapi, true, error_response},
      {"GET", "/metrics", answer_metrics, false, error_response},
      {"GET", "/v1/models", answer_models, false, error_response},
      {"POST", "/v1/translate", answer_translate, false, error_response},
      {"POST", "/v1/score", answer_score, false, error_response},
      {"POST", "/v1/align", answer_align, false, error_response},
      {"POST", "/v1/explain", answer_explain, false, error_response},
      {"POST", "/v1/tokenize", answer_tokenize, false, error_response},
      {"POST", "/translate", answer_libre_translate, false, plain_error},
      {"GET", "/languages", answer_libre_languages, false, plain_error},
      {"POST", "/detect", answer_libre_detect, false, plain_error},
      {"GET", "/frontend/settings", answer_libre_settings, true, plain_error},
      {"POST", "/translator/translate", answer_opennmt_translate, false,
       opennmt_error},
      {"GET", "/translator/models", answer_opennmt_models, false,
       opennmt_error},
  };
  return routes;
}

HttpResponse plain_error(int status, std::string_view message) {
  return {.status = status, .body = dump(Json{{"error", mend_utf8(message)}})};
}

HttpResponse opennmt_error(int status, std::string_view message) {
  return {
      .status = status,
      .body = dump(Json{{"error", mend_utf8(message)}, {"status", "error"}})};
}

}  // namespace fovea
