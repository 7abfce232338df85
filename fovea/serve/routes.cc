#include "fovea/serve/routes.h"

#include "fovea/base/unicode.h"
#include "fovea/serve/http_text.h"

namespace fovea {

const std::vector<Route>& all_routes() {
  static const std::vector<Route> routes = {
      {"GET", "/health", answer_health, Route::kNothing, error_response},
      {"GET", "/openapi.json", answer_openapi, Route::kNothing, error_response},
      {"GET", "/metrics", answer_metrics, Route::kKey, error_response},
      {"GET", "/v1/models", answer_models, Route::kKey, error_response},
      {"POST", "/v1/translate", answer_translate, Route::kTime, error_response},
      {"POST", "/v1/score", answer_score, Route::kTime, error_response},
      {"POST", "/v1/align", answer_align, Route::kTime, error_response},
      {"POST", "/v1/explain", answer_explain, Route::kTime, error_response},
      {"POST", "/v1/tokenize", answer_tokenize, Route::kTime, error_response},
      {"POST", "/translate", answer_libre_translate, Route::kTime, plain_error},
      {"GET", "/languages", answer_libre_languages, Route::kKey, plain_error},
      {"POST", "/detect", answer_libre_detect, Route::kTime, plain_error},
      {"GET", "/frontend/settings", answer_libre_settings, Route::kNothing,
       plain_error},
      {"POST", "/translator/translate", answer_opennmt_translate, Route::kTime,
       opennmt_error},
      {"GET", "/translator/models", answer_opennmt_models, Route::kKey,
       opennmt_error},
  };
  return routes;
}

ErrorStyle errors_of(const std::string& path) {
  for (const Route& route : all_routes()) {
    if (path == route.path) return route.errors;
  }
  return error_response;
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
