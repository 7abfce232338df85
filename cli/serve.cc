// fovea serve: models behind HTTP.
#include <malloc.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "cli/command.h"
#include "cli/flags.h"
#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/stop.h"
#include "fovea/models/box.h"
#include "fovea/serve/server.h"

namespace fovea::cli {
namespace {

constexpr auto kLook = std::chrono::milliseconds(50);

// What cannot be read stays as it was; the rest is taken all the same.
template <class Read>
void renew(const char* what, const Read& read) {
  try {
    read();
    log_info("serve: ", what, " taken anew");
  } catch (const Error& error) {
    log_error("serve: ", what, " kept as before: ", error.what());
  }
}

void reload(Server& server, const ServerConfig& config) {
  if (!config.access_log.empty()) {
    renew("access log", [&] { server.reopen_log(); });
  }
  if (!config.api_keys.empty()) renew("keys", [&] { server.load_keys(); });
  if (!config.http.certificate.empty()) {
    renew("certificate and key", [&] { server.load_certificate(); });
  }
  renew("models", [&] { server.load(); });
}

// Blocks of a megabyte, as large answers are, go back to the system when they
// are free. Left alone, the C library keeps blocks of the size it has seen.
void give_large_blocks_back() { ::mallopt(M_MMAP_THRESHOLD, 1 << 20); }

void serve_until_stopped(const ServerConfig& config,
                         const std::vector<std::string>& folders) {
  give_large_blocks_back();
  const StopSignals signals;
  const HangupSignal hangup;
  Server server(config, folders);
  server.load();
  std::cout << "listening on " << server.url() << std::endl;
  while (stop_signal() == 0) {
    std::this_thread::sleep_for(kLook);
    if (take_hangup()) reload(server, config);
  }
  log_info("serve: answering what has come, then the end");
  server.stop();
}

}  // namespace

Run serve(CLI::App& app) {
  auto folders = std::make_shared<std::vector<std::string>>();
  auto config = std::make_shared<ServerConfig>();
  app.add_option("MODEL", *folders,
                 "folders of models (default: box, the model in the box)")
      ->type_name("");
  auto flags = std::make_shared<ConfigFlags>(app, fields_of(*config));
  return [=] {
    flags->resolve();
    if (folders->empty()) folders->push_back(kBoxName);
    serve_until_stopped(*config, *folders);
  };
}

}  // namespace fovea::cli
