#include "bench/report.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace fovea::bench {
namespace {

constexpr const char* kLine = "%-20s %-38s %3s %10s %-8s %10s %-14s %7s %6s %s";

template <class... Args>
std::string formatted(Args... args) {
  char line[512];
  std::snprintf(line, sizeof line, kLine, args...);
  return line;
}

std::string number(double value, const char* format) {
  if (!std::isfinite(value)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

nlohmann::ordered_json or_null(double value, bool known) {
  if (!known || !std::isfinite(value)) return nullptr;
  return value;
}

const char* word_for(const Verdict& v) {
  if (!v.need) return "";
  if (!v.ok) return "not measured";
  return *v.ok ? "ok" : "TOO LOW";
}

}  // namespace

std::string table_heading() {
  return formatted("bench", "case", "thr", "value", "unit", "peer value",
                   "peer", "ratio", "need", "");
}

std::string table_line(const Verdict& v) {
  const Row& row = v.row;
  const bool peer = row.peer_value > 0;
  return formatted(
      row.bench.c_str(), row.name.c_str(), std::to_string(row.threads).c_str(),
      number(row.value, "%.3f").c_str(), row.unit.c_str(),
      peer ? number(row.peer_value, "%.3f").c_str() : "-", row.peer.c_str(),
      peer ? number(row.ratio, "%.3f").c_str() : "-",
      v.need ? number(*v.need, "%.4g").c_str() : "", word_for(v));
}

std::string json_line(const Verdict& v) {
  const Row& row = v.row;
  const bool peer = row.peer_value > 0;
  nlohmann::ordered_json line = {
      {"bench", row.bench},
      {"case", row.name},
      {"threads", row.threads},
      {"value", or_null(row.value, true)},
      {"unit", row.unit},
      {"peer", row.peer},
      {"peer_value", or_null(row.peer_value, peer)},
      {"ratio", or_null(row.ratio, peer)},
      {"need", v.need ? nlohmann::ordered_json(*v.need) : nullptr},
      {"ok", v.ok ? nlohmann::ordered_json(*v.ok) : nullptr},
  };
  return line.dump();
}

}  // namespace fovea::bench
