// fovea info: what a bug report needs to say about the machine and the build.
#include <sys/utsname.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.h"
#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/base/version.h"
#include "fovea/kernels/library_versions.h"
#include "fovea/kernels/target.h"

namespace fovea::cli {
namespace {

// The value of the first line "key <separator> value" of a file of the system,
// or an empty one.
std::string value_in(const std::string& file, const std::string& key,
                     char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const size_t end = line.find(separator);
    if (!line.starts_with(key) || end == std::string::npos) continue;
    const size_t begin = line.find_first_not_of(" \t\"", end + 1);
    const size_t last = line.find_last_not_of(" \t\"");
    return begin == std::string::npos ? ""
                                      : line.substr(begin, last - begin + 1);
  }
  return "";
}

int64_t memory_bytes(const std::string& key) {
  const std::string kilobytes = value_in("/proc/meminfo", key, ':');
  return kilobytes.empty() ? 0 : std::stoll(kilobytes) * 1024;
}

std::string or_unknown(std::string text) {
  return text.empty() ? "unknown" : text;
}

std::string kernel_release() {
  utsname name{};
  return uname(&name) == 0
             ? join(name.sysname, " ", name.release, " ", name.machine)
             : "unknown";
}

nlohmann::ordered_json facts() {
  return {
      {"version", version()},
      {"compiler", compiler()},
      {"system", or_unknown(value_in("/etc/os-release", "PRETTY_NAME", '='))},
      {"kernel", kernel_release()},
      {"cpu", or_unknown(value_in("/proc/cpuinfo", "model name", ':'))},
      {"target", kernels::current_target()},
      {"targets", kernels::supported_targets()},
      {"threads", thread_limit()},
      {"hardware_threads", hardware_threads()},
      {"blas", kernels::blas_version()},
      {"blas_threading", kernels::blas_threading()},
      {"onednn", kernels::onednn_version()},
      {"memory_total", memory_bytes("MemTotal")},
      {"memory_available", memory_bytes("MemAvailable")},
  };
}

std::string gigabytes(int64_t bytes) {
  std::ostringstream out;
  out.precision(1);
  out << std::fixed << static_cast<double>(bytes) / (int64_t{1} << 30)
      << " GiB";
  return out.str();
}

void print(const nlohmann::ordered_json& all) {
  const auto text = [&](const char* key) {
    return all.at(key).get<std::string>();
  };
  const auto number = [&](const char* key) {
    return all.at(key).get<int64_t>();
  };
  std::string targets;
  for (const auto& name : all.at("targets")) {
    targets += (targets.empty() ? "" : ", ") + name.get<std::string>();
  }
  std::cout << "fovea     " << text("version") << " (" << text("compiler")
            << ")\n"
            << "system    " << text("system") << ", " << text("kernel") << "\n"
            << "cpu       " << text("cpu") << "\n"
            << "kernels   " << text("target") << " (this CPU can run "
            << targets << ")\n"
            << "threads   " << number("threads") << " (the machine has "
            << number("hardware_threads") << ")\n"
            << "BLAS      " << text("blas") << ", threads by "
            << text("blas_threading") << "\n"
            << "oneDNN    " << text("onednn") << "\n"
            << "memory    " << gigabytes(number("memory_total")) << ", "
            << gigabytes(number("memory_available")) << " available\n";
}

}  // namespace

Run info(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "print one JSON object");
  return [json] {
    const nlohmann::ordered_json all = facts();
    if (*json) {
      std::cout << all.dump(2) << "\n";
    } else {
      print(all);
    }
  };
}

}  // namespace fovea::cli
