#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "fovea/serve/host_check.h"
#include "fovea/serve/key_ring.h"
#include "fovea/serve/routes.h"
#include "fovea/serve/static_files.h"

namespace fovea {

// Who may ask.
struct ApiDoor {
  KeyRing keys;      // if there are any, one is needed
  HostCheck hosts;   // names by which the server is called
  std::string cors;  // the origin whose pages may ask, "*" for all, or empty
};

// The headers that all answers have.
HttpHeaders common_headers(const std::string& cors);

// Finds who answers a request. Its handle() is for the server's thread alone;
// what takes time is done by others.
class Api {
 public:
  Api(Services services, ApiDoor door);

  void handle(HttpRequest request, std::shared_ptr<HttpReply> reply);
  // From any thread: other keys from now on.
  void set_keys(KeyRing keys);

 private:
  void answer_preflight(const CallRef& call) const;
  void answer_without_route(const CallRef& call) const;
  void answer(const Route& route, const CallRef& call);
  void check_key(const Route& route, const CallRef& call) const;
  bool is_known(const std::string& key) const;

  const Services services_;
  mutable std::mutex mutex_;
  KeyRing keys_;
  const HostCheck hosts_;
  const std::string cors_;
  const StaticFiles files_;
};

// The path as a metric's label: one of the routes, or "other".
std::string route_label(const std::string& path);

}  // namespace fovea
