// Any bytes as the body of a request: either it is understood, or one line says
// why not.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fovea/serve/form.h"
#include "fovea/serve/http_error.h"
#include "fovea/serve/translate_call.h"

namespace {

void try_to(const auto& read) {
  try {
    read();
  } catch (const fovea::HttpError& error) {
    const std::string message = error.what();
    if (message.empty() || message.find('\n') != std::string::npos) abort();
    if (error.status() < 400 || error.status() > 499) abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  const fovea::CallLimits limits{.max_text = 100};
  try_to(
      [&] { fovea::read_translate_call(fovea::parse_object(body), limits); });
  try_to([&] { fovea::read_score_call(fovea::parse_object(body), limits); });
  try_to([&] { fovea::read_align_call(fovea::parse_object(body), limits); });
  try_to([&] { fovea::read_tokenize_call(fovea::parse_object(body), limits); });
  for (const char* type : {"application/x-www-form-urlencoded",
                           "multipart/form-data; boundary=x", ""}) {
    fovea::HttpRequest request;
    request.headers = {{"content-type", type}};
    request.body = body;
    try_to([&] { fovea::read_form(request); });
    fovea::form_field(request, "q");
  }
  return 0;
}
