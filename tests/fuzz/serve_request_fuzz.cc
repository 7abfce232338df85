// Any bytes as the body of a request: either it is understood, or one line says
// why not.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fovea/serve/form.h"
#include "fovea/serve/html_text.h"
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
  try_to([&] { fovea::read_explain_call(fovea::parse_object(body), limits); });
  try_to([&] { fovea::parse_list(body); });
  for (const char* type : {"application/x-www-form-urlencoded",
                           "multipart/form-data; boundary=x", ""}) {
    fovea::HttpRequest request;
    request.headers = {{"content-type", type}};
    request.body = body;
    request.query = body;
    try_to([&] {
      size_t values = 0;
      for (const auto& field : fovea::read_form(request)) {
        if (field.is_string())
          values += field.get_ref<const std::string&>().size();
      }
      if (values > body.size() + request.query.size()) abort();
    });
    fovea::form_field(request, "q");
  }
  // What is no text of a block stays as it is.
  const fovea::HtmlText html(body);
  std::vector<fovea::Translation> blocks;
  for (const std::string& text : html.texts()) blocks.push_back({.text = text});
  std::vector<const fovea::Translation*> all;
  for (const fovea::Translation& block : blocks) all.push_back(&block);
  if (blocks.empty() && html.with(all) != body) abort();
  html.with(all);
  return 0;
}
