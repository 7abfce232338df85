#pragma once

#include "fovea/base/check.h"

namespace fovea {

// A request that is answered with a status and a message.
class HttpError : public Error {
 public:
  HttpError(int status, const std::string& message, int retry_after = 0)
      : Error(status < 500 ? ErrorKind::kUsage : ErrorKind::kResource, message),
        status_(status),
        retry_after_(retry_after) {}

  int status() const { return status_; }
  int retry_after() const { return retry_after_; }  // seconds; 0: not said

 private:
  int status_, retry_after_;
};

template <class... Parts>
void check_request(bool holds, int status, const Parts&... parts) {
  if (!holds) [[unlikely]] {
    throw HttpError(status, join(parts...));
  }
}

}  // namespace fovea
