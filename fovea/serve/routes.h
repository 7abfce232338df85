#pragma once

#include <string>
#include <vector>

#include "fovea/serve/call.h"

namespace fovea {

// What answers a request. One that throws is answered with the error.
using RouteFunction = void (*)(const Services& services, const CallRef& call);

struct Route {
  const char* method;
  const char* path;
  RouteFunction answer;
  enum Needs { kNothing, kKey, kTime } needs;
  ErrorStyle errors;

  // Answered by the server's thread. What takes time needs a key, too.
  bool quick() const { return needs != kTime; }
};

// One visible table of all routes.
const std::vector<Route>& all_routes();

// Of the interface that a path belongs to.
ErrorStyle errors_of(const std::string& path);

// {"error": "..."}, as LibreTranslate has it; and with a "status", as OpenNMT.
HttpResponse plain_error(int status, std::string_view message);
HttpResponse opennmt_error(int status, std::string_view message);

// routes_state.cc
void answer_health(const Services& services, const CallRef& call);
void answer_metrics(const Services& services, const CallRef& call);
void answer_openapi(const Services& services, const CallRef& call);
void answer_models(const Services& services, const CallRef& call);
// routes_v1.cc
void answer_translate(const Services& services, const CallRef& call);
void answer_score(const Services& services, const CallRef& call);
void answer_align(const Services& services, const CallRef& call);
void answer_tokenize(const Services& services, const CallRef& call);
// routes_explain.cc
void answer_explain(const Services& services, const CallRef& call);
// routes_libretranslate.cc
void answer_libre_translate(const Services& services, const CallRef& call);
void answer_libre_languages(const Services& services, const CallRef& call);
void answer_libre_detect(const Services& services, const CallRef& call);
void answer_libre_settings(const Services& services, const CallRef& call);
// routes_opennmt.cc
void answer_opennmt_translate(const Services& services, const CallRef& call);
void answer_opennmt_models(const Services& services, const CallRef& call);

}  // namespace fovea
