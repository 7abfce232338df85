#include "fovea/base/check.h"

#include "fovea/base/unicode.h"

namespace fovea {

Error::Error(ErrorKind kind, const std::string& message)
    : std::runtime_error(one_line(message)), kind_(kind) {}

}  // namespace fovea
