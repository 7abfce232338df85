#include "fovea/serve/http.h"

#include <algorithm>
#include <map>
#include <set>

#include "fovea/base/check.h"
#include "fovea/io/file_handle.h"
#include "fovea/serve/http_session-inl.h"

namespace fovea {
namespace {

constexpr double kAcceptPause = 0.1;
constexpr int kSpare = 256;  // connections to tell that there are too many

void load_pem_files(net::ssl::context& tls, const HttpConfig& config) {
  // The library's words for a file that is missing are not plain.
  open_to_read(config.certificate);
  open_to_read(config.key);
  NetError error;
  tls.use_certificate_chain_file(config.certificate, error);
  check_data(!error, config.certificate,
             ": is no certificate in PEM form: ", error.message());
  tls.use_private_key_file(config.key, net::ssl::context::pem, error);
  check_data(!error, config.key, ": is no private key of ", config.certificate,
             " in PEM form: ", error.message());
  SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
}

}  // namespace

class HttpServer::Loop {
 public:
  Loop(const HttpConfig& config, Handler handler, Log log)
      : common_{config, std::move(handler), std::move(log)},
        acceptor_(common_.io),
        pause_(common_.io),
        tls_(net::ssl::context::tls_server),
        work_(common_.io.get_executor()) {
    if (!config.certificate.empty()) load_pem_files(tls_, config);
    common_.on_closed = [this] { closed(); };
    common_.on_too_much_unsent = [this] { drop_unsent(); };
    listen();
    accept();
  }

  // Handlers that never ran hold connections, and those this loop.
  ~Loop() {
    for (const auto& connection : std::set(common_.open)) connection->close();
  }

  int port() const { return acceptor_port_; }
  std::string url() const {
    const HttpConfig& config = common_.config;
    const bool is_v6 = config.host.find(':') != std::string::npos;
    return join(config.certificate.empty() ? "http://" : "https://",
                is_v6 ? "[" : "", config.host, is_v6 ? "]" : "", ":",
                acceptor_port_);
  }
  bool is_local() const { return is_local_; }
  void run() { common_.io.run(); }
  int connections() const { return common_.count; }

  void load_certificate() {
    if (common_.config.certificate.empty()) return;
    const auto fresh =
        std::make_shared<net::ssl::context>(net::ssl::context::tls_server);
    load_pem_files(*fresh, common_.config);
    net::post(common_.io, [this, fresh] { tls_ = std::move(*fresh); });
  }

  void stop() {
    net::post(common_.io, [this] {
      if (std::exchange(common_.stopping, true)) return;
      accept_waiting();
      NetError none;
      acceptor_.close(none);
      pause_.cancel();
      for (const auto& connection : std::set(common_.open)) {
        connection->finish();
      }
      closed();
    });
  }

 private:
  void listen() {
    const HttpConfig& config = common_.config;
    NetError error;
    tcp::resolver resolver(common_.io);
    const auto found = resolver.resolve(
        config.host, std::to_string(config.port),
        tcp::resolver::passive | tcp::resolver::numeric_service, error);
    check_usage(!error && !found.empty(), "--host ", config.host,
                ": there is no such address");
    const tcp::endpoint endpoint = found.begin()->endpoint();
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error)
      acceptor_.listen(net::socket_base::max_listen_connections, error);
    check(!error, "cannot listen on ", config.host, ", port ", config.port,
          ": ", error.message());
    acceptor_port_ = acceptor_.local_endpoint().port();
    is_local_ = endpoint.address().is_loopback();
  }

  void accept() {
    acceptor_.async_accept([this](NetError error, tcp::socket socket) {
      if (!acceptor_.is_open()) return;
      if (!error) {
        add(std::move(socket));
        return accept();
      }
      // Too many files are open, most likely.
      pause_.expires_after(seconds(kAcceptPause));
      pause_.async_wait([this](NetError stopped) {
        if (!stopped) accept();
      });
    });
  }

  // Clients whose connection the system has made already.
  void accept_waiting() {
    NetError error;
    acceptor_.non_blocking(true, error);
    while (!error) {
      tcp::socket socket = acceptor_.accept(error);
      if (!error) add(std::move(socket));
    }
  }

  void add(tcp::socket socket) {
    const int most = common_.config.max_connections;
    if (open_connections(false) >= most) make_room(false);
    const bool spare = open_connections(false) >= most;
    if (spare && open_connections(true) >= kSpare) make_room(true);
    if (spare && open_connections(true) >= kSpare) return;
    std::shared_ptr<Connection> connection;
    if (common_.config.certificate.empty()) {
      connection = std::make_shared<Session<PlainStream>>(
          common_, std::move(socket), ++last_number_, spare);
    } else {
      connection = std::make_shared<Session<TlsStream>>(
          common_, TlsStream(std::move(socket), tls_), ++last_number_, spare);
    }
    common_.open.insert(connection);
    common_.count = static_cast<int>(common_.open.size());
    connection->start();
  }

  int open_connections(bool spare) const {
    return static_cast<int>(std::ranges::count_if(
        common_.open, [&](const auto& c) { return c->spare() == spare; }));
  }

  // Who has no request under way for the longest time goes, but for those that
  // have just come or been answered: they are about to ask.
  void make_room(bool spare) {
    std::shared_ptr<Connection> oldest;
    for (const auto& connection : common_.open) {
      if (connection->busy() || connection->spare() != spare) continue;
      if (seconds_since(connection->since()) < common_.config.young) continue;
      if (!oldest || connection->since() < oldest->since()) {
        oldest = connection;
      }
    }
    if (oldest) oldest->close();
  }

  // Of the client with most of what nobody took, the oldest answer goes; but
  // one alone is let be, however large it is.
  void drop_unsent() {
    while (common_.unsent > common_.config.max_unsent) {
      std::map<std::string, int64_t> sums;
      std::shared_ptr<Connection> worst;
      int writers = 0;
      for (const auto& c : common_.open) {
        sums[c->address()] += c->unsent();
        writers += c->unsent() > 0 ? 1 : 0;
      }
      if (writers < 2) return;
      for (const auto& c : common_.open) {
        if (c->unsent() == 0) continue;
        const auto rank = [&](const auto& one) {
          return std::pair(-sums[one->address()], one->since());
        };
        if (!worst || rank(c) < rank(worst)) worst = c;
      }
      worst->close();
    }
  }

  void closed() {
    common_.count = static_cast<int>(common_.open.size());
    if (common_.stopping && common_.open.empty()) work_.reset();
  }

  Common common_;
  tcp::acceptor acceptor_;
  net::steady_timer pause_;
  net::ssl::context tls_;
  net::executor_work_guard<net::io_context::executor_type> work_;
  int acceptor_port_ = 0;
  bool is_local_ = false;
  uint64_t last_number_ = 0;
};

HttpServer::HttpServer(const HttpConfig& config, Handler handler, Log log)
    : loop_(
          std::make_unique<Loop>(config, std::move(handler), std::move(log))) {}
HttpServer::~HttpServer() = default;

int HttpServer::port() const { return loop_->port(); }
std::string HttpServer::url() const { return loop_->url(); }
bool HttpServer::is_local() const { return loop_->is_local(); }
void HttpServer::load_certificate() { loop_->load_certificate(); }
void HttpServer::run() { loop_->run(); }
void HttpServer::stop() { loop_->stop(); }
int HttpServer::connections() const { return loop_->connections(); }

}  // namespace fovea
