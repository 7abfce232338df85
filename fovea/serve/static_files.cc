#include "fovea/serve/static_files.h"

#include "fovea/base/check.h"
#include "fovea/base/version.h"
#include "fovea/explain/page.h"

namespace fovea {
namespace {

// Scripts, styles and data come from this server, pictures may be made on the
// spot; nothing else is loaded or run.
const char* const kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

std::string type_of(std::string_view name) {
  struct Type {
    std::string_view ending, type;
  };
  constexpr Type kTypes[] = {{".html", "text/html; charset=utf-8"},
                             {".js", "text/javascript; charset=utf-8"},
                             {".css", "text/css; charset=utf-8"},
                             {".json", "application/json"},
                             {".svg", "image/svg+xml"},
                             {".png", "image/png"},
                             {".ico", "image/x-icon"}};
  for (const Type& entry : kTypes) {
    if (name.ends_with(entry.ending)) return std::string(entry.type);
  }
  return "application/octet-stream";
}

// FNV-1a: tells versions of a file apart.
std::string tag_of(std::string_view bytes) {
  uint64_t hash = 14695981039346656037u;
  for (char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  std::ostringstream text;
  text << '"' << std::hex << hash << '"';
  return text.str();
}

}  // namespace

StaticFiles::StaticFiles() {
  for (const EmbeddedFile& file : page_files()) {
    if (file.name == "explain.html") continue;  // for explain_page() alone
    const std::string_view bytes(
        reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
    const std::string path =
        file.name == "index.html" ? "/" : join("/", file.name);
    files_.push_back({path, type_of(file.name), tag_of(bytes), bytes});
  }
}

const StaticFiles::File* StaticFiles::find(const std::string& path) const {
  for (const File& file : files_) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

HttpResponse StaticFiles::answer(const File& file,
                                 const HttpRequest& request) const {
  HttpResponse response{.type = file.type};
  response.headers = {{"ETag", file.tag},
                      {"Cache-Control", "no-cache"},
                      {"Content-Security-Policy", kPolicy},
                      {"X-Frame-Options", "DENY"},
                      {"Cross-Origin-Opener-Policy", "same-origin"}};
  if (request.header("if-none-match") == file.tag) {
    response.status = 304;
  } else {
    response.body = file.bytes;
  }
  return response;
}

}  // namespace fovea
