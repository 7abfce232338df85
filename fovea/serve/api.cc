#include "fovea/serve/api.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/serve/form.h"
#include "fovea/serve/http_error.h"
#include "fovea/serve/http_text.h"

namespace fovea {
namespace {

const char* const kNothingHere = "there is nothing here";

const Route* find_route(const std::string& method, const std::string& path) {
  const std::string wanted = method == "HEAD" ? "GET" : method;
  for (const Route& route : all_routes()) {
    if (path == route.path && wanted == route.method) return &route;
  }
  return nullptr;
}

// "GET, HEAD" of a path; empty if there is no such path.
std::string allowed(const std::string& path, const StaticFiles& files) {
  std::string methods = files.find(path) != nullptr ? "GET, HEAD" : "";
  for (const Route& route : all_routes()) {
    if (path != route.path) continue;
    methods = std::string(route.method) == "GET" ? "GET, HEAD" : route.method;
  }
  return methods;
}

// Where clients put it: a header, or as LibreTranslate's do a field.
std::string key_of(const HttpRequest& request) {
  constexpr std::string_view kBearer = "bearer ";
  const std::string authorization(request.header("authorization"));
  if (small_letters(authorization.substr(0, kBearer.size())) == kBearer) {
    return authorization.substr(kBearer.size());
  }
  const std::string_view header = request.header("x-api-key");
  if (!header.empty()) return std::string(header);
  return form_field(request, "api_key");
}

// RFC 9112, section 3.2.
bool lacks_host(const HttpRequest& request) {
  const bool has_one = std::ranges::any_of(
      request.headers, [](const auto& h) { return h.first == "host"; });
  return request.version >= 11 && !has_one;
}

std::string address_client(const HttpRequest& request) {
  return "address " + request.address;
}

}  // namespace

HttpHeaders common_headers(const std::string& cors) {
  HttpHeaders headers = {{"X-Content-Type-Options", "nosniff"},
                         {"Referrer-Policy", "no-referrer"},
                         {"Cache-Control", "no-store"}};
  if (!cors.empty()) {
    headers.emplace_back("Access-Control-Allow-Origin", cors);
    headers.emplace_back("Access-Control-Expose-Headers", "Retry-After");
    if (cors != "*") headers.emplace_back("Vary", "Origin");
  }
  return headers;
}

Api::Api(Services services, ApiDoor door)
    : services_(std::move(services)),
      keys_(std::move(door.keys)),
      hosts_(std::move(door.hosts)),
      cors_(std::move(door.cors)) {}

void Api::set_keys(KeyRing keys) {
  const std::lock_guard<std::mutex> lock(mutex_);
  keys_ = std::move(keys);
}

bool Api::is_known(const std::string& key) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return keys_.contains(key);
}

void Api::handle(HttpRequest request, std::shared_ptr<HttpReply> reply) {
  const Route* route = find_route(request.method, request.path);
  const auto call =
      std::make_shared<Call>(std::move(request), reply, common_headers(cors_));
  call->set_error_style(errors_of(call->request().path));
  if (lacks_host(call->request())) {
    return call->fail(400, "the request has no Host header");
  }
  const std::string_view host = call->request().header("host");
  if (!hosts_.allows(host)) {
    return call->fail(421, join("this server is not called ", host,
                                "; --allow-host adds names"));
  }
  if (call->request().spare && (route == nullptr || !route->quick())) {
    return call->fail(503, "too many connections are open; try again later", 1);
  }
  if (route != nullptr) return answer(*route, call);
  if (call->request().method == "OPTIONS") return answer_preflight(call);
  answer_without_route(call);
}

void Api::answer_preflight(const CallRef& call) const {
  const std::string methods = allowed(call->request().path, files_);
  if (methods.empty()) return call->fail(404, kNothingHere);
  HttpResponse response{.status = 204, .type = ""};
  response.headers = {{"Allow", methods + ", OPTIONS"}};
  if (!cors_.empty()) {
    response.headers.emplace_back("Access-Control-Allow-Methods", methods);
    response.headers.emplace_back("Access-Control-Allow-Headers",
                                  "Content-Type, Authorization, X-API-Key");
    response.headers.emplace_back("Access-Control-Max-Age", "86400");
  }
  call->send(std::move(response));
}

void Api::answer_without_route(const CallRef& call) const {
  const HttpRequest& request = call->request();
  const std::string methods = allowed(request.path, files_);
  if (methods.empty()) return call->fail(404, kNothingHere);
  const StaticFiles::File* file = files_.find(request.path);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (file != nullptr && reads)
    return call->send(files_.answer(*file, request));
  HttpResponse response = errors_of(request.path)(
      405, join(request.method, " is not for this path, but ", methods));
  response.headers = {{"Allow", methods}};
  call->send(std::move(response));
}

void Api::answer(const Route& route, const CallRef& call) {
  const auto run = [this, &route, call] {
    if (*call->cancelled()) return;
    try {
      check_key(route, call);
      route.answer(services_, call);
    } catch (...) {
      call->fail(std::current_exception());
    }
  };
  if (route.quick()) return run();
  call->watch(services_.metrics);
  services_.clerk.post(address_client(call->request()), [run] {
    run();
    return false;
  });
}

// With keys, a client is who has the key; else an address.
void Api::check_key(const Route& route, const CallRef& call) const {
  const HttpRequest& request = call->request();
  if (!services_.has_keys || route.needs == Route::kNothing) {
    return call->set_client(address_client(request));
  }
  const std::string key = key_of(request);
  const bool is_libre = route.errors == plain_error;
  check_request(
      is_known(key), is_libre ? 403 : 401,
      key.empty() ? "an API key is needed" : "this is no valid API key");
  call->set_client("key " + key);
}

std::string route_label(const std::string& path) {
  const auto& routes = all_routes();
  const bool known = std::ranges::any_of(
      routes, [&](const Route& route) { return path == route.path; });
  return known ? path : "other";
}

}  // namespace fovea
