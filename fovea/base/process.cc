#include "fovea/base/process.h"

#include <unistd.h>

#include <fstream>

namespace fovea {

int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t whole = 0, resident = 0;  // pages
  statm >> whole >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace fovea
