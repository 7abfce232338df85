#include "cli/utf8_line.h"

#include "fovea/base/log.h"
#include "fovea/base/unicode.h"

namespace fovea::cli {

std::string utf8_line(std::string_view line, const std::string& place) {
  if (is_utf8(line)) return std::string(line);
  log_warning(place, ": not UTF-8; bad bytes are read as U+FFFD");
  return mend_utf8(line);
}

}  // namespace fovea::cli
