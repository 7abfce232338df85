// Any bytes as links, of either format: either sorted links or one line that
// says why not.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fovea/base/check.h"
#include "fovea/data/naacl.h"
#include "fovea/eval/pharaoh.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto link = fovea::read_naacl(text)) {
    if (link->sentence < 0 || link->source < 0 || link->target < 0) abort();
  }
  try {
    const fovea::Alignment a = fovea::parse_alignment(text, "fuzz:1");
    if (!std::is_sorted(a.possible.begin(), a.possible.end())) abort();
    if (!std::includes(a.possible.begin(), a.possible.end(), a.sure.begin(),
                       a.sure.end())) {
      abort();
    }
    for (const fovea::Link& link : a.possible) {
      if (link.source < 0 || link.target < 0) abort();
    }
  } catch (const fovea::Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) abort();
  }
  return 0;
}
