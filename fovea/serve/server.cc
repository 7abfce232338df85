#include "fovea/serve/server.h"

#include <regex>
#include <thread>

#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/parallel.h"
#include "fovea/serve/access_log.h"
#include "fovea/serve/api.h"
#include "fovea/tensor/allocator.h"

namespace fovea {
namespace {

constexpr size_t kKeptMemory = size_t{256} << 20;  // bytes beside the models

// Browsers compare it letter by letter.
void check_origin(const std::string& cors) {
  static const std::regex origin("[a-z][a-z0-9+.-]*://[^/?#\\s,;]+");
  check_usage(cors.empty() || cors == "*" || std::regex_match(cors, origin),
              "--cors ", cors,
              ": give an origin such as https://example.org, without a path, "
              "or *");
}

void check_config(const ServerConfig& c, size_t models) {
  const HttpConfig& http = c.http;
  check_usage(http.port >= 0 && http.port <= 65535, "--port ", http.port,
              ": give a number from 0 to 65535");
  check_usage(http.max_body >= 1, "--max-body ", http.max_body,
              ": give at least 1");
  check_usage(http.max_connections >= 1, "--max-connections ",
              http.max_connections, ": give at least 1");
  check_usage(http.max_unsent >= 1, "--max-unsent ", http.max_unsent,
              ": give at least 1");
  check_usage(http.answer > 0, "--timeout ", http.answer, ": give more than 0");
  check_usage(c.limits.max_text >= 1, "--max-text ", c.limits.max_text,
              ": give at least 1");
  check_usage(c.limits.max_n_best >= 1, "--max-n-best ", c.limits.max_n_best,
              ": give at least 1");
  check_usage(c.limits.max_weights >= 1, "--max-weights ", c.limits.max_weights,
              ": give at least 1");
  check_origin(c.cors);
  check_usage(http.certificate.empty() == http.key.empty(),
              "--tls-cert and --tls-key go together");
  check_usage(c.languages.empty() || c.languages.size() == models,
              "--languages has ", c.languages.size(), " pairs for ", models,
              " models");
}

std::vector<ModelPlace> places_of(const ServerConfig& config,
                                  const std::vector<std::string>& folders) {
  check_config(config, folders.size());
  std::vector<ModelPlace> places;
  for (size_t i = 0; i < folders.size(); ++i) {
    places.push_back(ModelPlace::of(
        folders[i], config.languages.empty() ? "" : config.languages[i]));
  }
  return places;
}

KeyRing read_keys(const std::string& path) {
  return path.empty() ? KeyRing() : KeyRing::read(path);
}

// What others can reach is called by names that we do not know; and who has a
// key may ask by any.
HostCheck hosts_of(const ServerConfig& config, const HttpServer& http) {
  if (!http.is_local() || !config.api_keys.empty()) return {};
  return {config.http.host, config.allow_host};
}

}  // namespace

// In the order in which they are made; they go the other way round: threads
// that may still answer go before what they answer through.
struct Server::Parts {
  Parts(const ServerConfig& config, const std::vector<std::string>& folders)
      : store(places_of(config, folders), config.precision),
        access(config.access_log),
        http(
            config.http,
            [this](HttpRequest request, std::shared_ptr<HttpReply> reply) {
              api.handle(std::move(request), std::move(reply));
            },
            [this](const HttpAccess& a) {
              metrics.request(route_label(a.path), a.status, a.seconds);
              access.write(a);
            }),
        batcher(config.batcher,
                [this](size_t sentences) { metrics.batch(sentences); }),
        api({.limits = config.limits,
             .has_keys = !config.api_keys.empty(),
             .models = store,
             .batcher = batcher,
             .clerk = clerk,
             .metrics = metrics,
             .connections = [this] { return http.connections(); }},
            {.keys = read_keys(config.api_keys),
             .hosts = hosts_of(config, http),
             .cors = config.cors}) {}
  ~Parts() { clerk.stop(); }  // what it does is the others' work

  Metrics metrics;
  ModelStore store;
  AccessLog access;
  HttpServer http;
  Batcher batcher;
  Clerk clerk;
  Api api;
  std::thread loop;
};

Server::Server(const ServerConfig& config,
               const std::vector<std::string>& folders)
    : api_keys_(config.api_keys) {
  ServerConfig own = config;
  own.batcher.threads = thread_limit();
  own.http.log_bodies = config.log_texts;
  own.http.headers = common_headers(config.cors);
  own.http.error = [](const std::string& path, int status,
                      std::string_view message) {
    return errors_of(path)(status, message);
  };
  parts_ = std::make_unique<Parts>(own, folders);
  parts_->loop = std::thread([this] { parts_->http.run(); });
}

Server::~Server() { stop(); }

int Server::port() const { return parts_->http.port(); }

std::string Server::url() const { return parts_->http.url(); }

void Server::load() {
  parts_->store.load();
  // What a rare large batch took goes back to the system.
  Allocator& memory = Allocator::shared();
  memory.set_trim_limit(memory.stats().live + kKeptMemory);
}

void Server::load_keys() { parts_->api.set_keys(read_keys(api_keys_)); }

void Server::load_certificate() { parts_->http.load_certificate(); }

void Server::reopen_log() { parts_->access.reopen(); }

void Server::stop() {
  parts_->http.stop();
  if (parts_->loop.joinable()) parts_->loop.join();
}

}  // namespace fovea
