#include "fovea/serve/call.h"

#include <algorithm>
#include <new>

#include "fovea/base/log.h"
#include "fovea/base/unicode.h"
#include "fovea/serve/http_error.h"
#include "fovea/serve/http_text.h"

namespace fovea {
namespace {

constexpr size_t kLongestMessage = 1000;  // bytes: some repeat what was sent

HttpError as_http_error(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const HttpError& e) {
    return e;
  } catch (const Error& e) {
    // What a body says is checked before: the rest is what a model cannot do.
    const bool refused =
        e.kind() == ErrorKind::kUsage || e.kind() == ErrorKind::kData;
    return {refused ? 422 : 500, e.what()};
  } catch (const std::bad_alloc&) {
    return {503, "out of memory", 1};
  } catch (const std::exception& e) {
    log_error("serve: ", e.what());
    return {500, "this should not have happened; the server's log says more"};
  }
}

}  // namespace

Call::Call(HttpRequest request, std::shared_ptr<HttpReply> reply,
           HttpHeaders headers)
    : request_(std::move(request)),
      reply_(std::move(reply)),
      headers_(std::move(headers)),
      cancelled_(std::make_shared<std::atomic<bool>>(false)),
      style_(error_response) {}

void Call::send(HttpResponse response) {
  for (const auto& header : headers_) {
    const bool given = std::ranges::any_of(
        response.headers,
        [&](const auto& h) { return h.first == header.first; });
    if (!given) response.headers.push_back(header);
  }
  reply_->send(std::move(response));
}

void Call::send(const Json& json) { send(HttpResponse{.body = dump(json)}); }

void Call::fail(const std::exception_ptr& error) {
  const HttpError e = as_http_error(error);
  fail(e.status(), e.what(), e.retry_after());
}

void Call::fail(int status, std::string_view message, int retry_after) {
  const std::string brief =
      message.size() <= kLongestMessage
          ? std::string(message)
          : join(message.substr(0, kLongestMessage), "...");
  if (streams_) {
    event("error",
          {{"error", {{"message", mend_utf8(brief)}, {"code", status}}}});
    return end_events();
  }
  HttpResponse response = style_(status, brief);
  if (retry_after > 0) {
    response.headers.emplace_back("Retry-After", std::to_string(retry_after));
  }
  send(std::move(response));
}

void Call::event(const char* name, const Json& data) {
  if (!streams_.exchange(true)) {
    HttpResponse head{.type = "text/event-stream", .headers = headers_};
    reply_->begin(std::move(head));
  }
  reply_->write(join("event: ", name, "\ndata: ", dump(data), "\n"));
}

void Call::end_events() { reply_->end(); }

void Call::watch(Metrics& metrics) {
  reply_->on_end([call = shared_from_this(), &metrics](RequestEnd why) {
    call->give_up(why, metrics);
  });
}

void Call::give_up(RequestEnd why, Metrics& metrics) {
  *cancelled_ = true;
  metrics.cancelled();
  if (why == RequestEnd::kGone) return;
  fail(503, "the answer took too long; send less, or try again later", 1);
}

WorkOrder Call::order(const std::shared_ptr<Call>& call,
                      const Services& services) {
  return {services.batcher,
          services.clerk,
          {call->client_, call->request_.connection},
          services.limits,
          call->cancelled_,
          [call](const std::exception_ptr& error) { call->fail(error); }};
}

}  // namespace fovea
