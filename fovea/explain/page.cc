#include "fovea/explain/page.h"

#include "fovea/base/check.h"

namespace fovea {
namespace {

// Where web/src/explain.html waits for the document.
constexpr std::string_view kPlace = "@FOVEA_DOCUMENT@";

// JSON has "<" inside strings only, where this means the same.
std::string without_less_than(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string explain_page(std::string_view json) {
  check_usage(!page_files().empty(),
              "this binary was built without its page (FOVEA_PAGE=OFF)");
  std::string page = FileSource("(page)", page_files()).text("explain.html");
  const size_t place = page.find(kPlace);
  check(place != std::string::npos, "explain.html has no place for a document");
  page.replace(place, kPlace.size(), without_less_than(json));
  return page;
}

}  // namespace fovea
