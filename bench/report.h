#pragma once

#include <string>

#include "bench/bars.h"

namespace fovea::bench {

std::string table_heading();
std::string table_line(const Verdict& verdict);
std::string json_line(const Verdict& verdict);

}  // namespace fovea::bench
