#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/serve/clerk.h"
#include "fovea/serve/key_ring.h"
#include "fovea/serve/routes.h"
#include "fovea/serve/static_files.h"

namespace fovea {

// Finds who answers a request. Its handle() is for the server's thread alone;
// what takes time is done by others.
class Api {
 public:
  // `cors` is the origin whose pages may ask, "*" for all, or empty.
  Api(Services services, KeyRing keys, std::string cors);

  void handle(HttpRequest request, std::shared_ptr<HttpReply> reply);

 private:
  HttpHeaders common_headers() const;
  void answer_preflight(const CallRef& call) const;
  void answer_without_route(const CallRef& call) const;
  void answer(const Route& route, const CallRef& call);
  void check_key(const Route& route, const CallRef& call) const;

  const Services services_;
  const KeyRing keys_;
  const std::string cors_;
  const StaticFiles files_;
  Clerk clerk_;
};

// The path as a metric's label: one of the routes, or "other".
std::string route_label(const std::string& path);

}  // namespace fovea
