#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/base/fields.h"
#include "fovea/models/folder.h"
#include "fovea/serve/batcher.h"
#include "fovea/serve/http.h"
#include "fovea/serve/translate_call.h"

namespace fovea {

struct ServerConfig {
  HttpConfig http;
  BatcherConfig batcher;
  CallLimits limits;
  std::vector<std::string> languages;  // of each model
  std::vector<std::string> allow_host;
  Precision precision = Precision::kFloat32;
  std::string api_keys, cors, access_log;
  bool log_texts = false;

  void fields(auto&& field) {
    field("host", http.host, "address to listen on; 0.0.0.0: all of them");
    field("port", http.port, "port to listen on; 0: one that is free");
    field("languages", languages,
          "of each model, as en-fr, for clients of LibreTranslate (default:\n"
          "what the folder's name ends with)");
    field("precision", precision, "of the models' weights: float32, int8");
    batcher.fields(field);
    field("max-body", http.max_body, "bytes of a request, at most");
    limits.fields(field);
    field("max-connections", http.max_connections,
          "clients at a time; then whoever is idle has to go");
    field("max-unsent", http.max_unsent,
          "bytes of answers that clients have not taken yet, at most");
    field("timeout", http.answer, "seconds that an answer may take");
    field("api-keys", api_keys,
          "file of keys, one in each line, that clients "
          "need");
    field("allow-host", allow_host,
          "names by which pages may call a server that only this machine can\n"
          "reach and that needs no key, beside localhost");
    field("cors", cors,
          "origin whose pages may ask, as https://example.org, or *");
    field("tls-cert", http.certificate,
          "certificate chain in PEM form: speak HTTPS");
    field("tls-key", http.key, "its private key in PEM form");
    field("access-log", access_log,
          "file that gets a line of JSON for each request; -: standard output");
    field("log-texts", log_texts,
          "with the request's body, that is, its texts");
  }
};

// Models behind HTTP. Listens from the beginning; requests that need a model
// are turned away until load() is done.
class Server {
 public:
  // Errors of a config are usage errors.
  Server(const ServerConfig& config, const std::vector<std::string>& folders);
  ~Server();  // stops and waits

  int port() const;
  std::string url() const;

  // At first, and again to take new models for those that are served, without
  // any request being lost. An error leaves all as it was.
  void load();
  // Likewise the keys, and the certificate with its key; and the access log is
  // opened anew by its name.
  void load_keys();
  void load_certificate();
  void reopen_log();
  // Accepts nothing more; returns when all that was accepted is answered.
  void stop();

 private:
  struct Parts;
  const std::string api_keys_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace fovea
