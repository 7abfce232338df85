#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "fovea/serve/batcher.h"
#include "fovea/serve/clerk.h"
#include "fovea/serve/http.h"
#include "fovea/serve/json_fields.h"
#include "fovea/serve/metrics.h"
#include "fovea/serve/models.h"
#include "fovea/serve/translate_call.h"
#include "fovea/serve/work.h"

namespace fovea {

// What requests are answered with; all of it outlives them.
struct Services {
  CallLimits limits;
  bool has_keys;  // a key is needed
  ModelStore& models;
  Batcher& batcher;
  Clerk& clerk;
  Metrics& metrics;
  std::function<int()> connections;
};

// Errors as clients of an interface expect them.
using ErrorStyle = HttpResponse (*)(int status, std::string_view message);

// A request on its way to its answer; threads may share one.
class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(HttpRequest request, std::shared_ptr<HttpReply> reply,
       HttpHeaders headers);

  const HttpRequest& request() const { return request_; }
  void set_error_style(ErrorStyle style) { style_ = style; }
  void set_client(std::string client) { client_ = std::move(client); }

  // Adds the headers that all answers have.
  void send(HttpResponse response);
  void send(const Json& json);
  void fail(const std::exception_ptr& error);
  void fail(int status, std::string_view message, int retry_after = 0);

  // Server-sent events; the first one begins the answer. After it an error is
  // the last event.
  void event(const char* name, const Json& data);
  void end_events();

  const Cancelled& cancelled() const { return cancelled_; }
  // From now on work is cancelled when nobody waits for the answer any more, or
  // has waited too long.
  void watch(Metrics& metrics);

  // For work that tells this call if it fails.
  static WorkOrder order(const std::shared_ptr<Call>& call,
                         const Services& services);

 private:
  void give_up(RequestEnd why, Metrics& metrics);

  const HttpRequest request_;
  const std::shared_ptr<HttpReply> reply_;
  const HttpHeaders headers_;
  const Cancelled cancelled_;
  ErrorStyle style_;
  std::string client_;
  std::atomic<bool> streams_ = false;
};
using CallRef = std::shared_ptr<Call>;

}  // namespace fovea
