#pragma once

// For fovea/serve/http.cc alone: one connection, plain or TLS.
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <optional>

#include "fovea/base/check.h"
#include "fovea/serve/http_connection-inl.h"

namespace fovea {

namespace beast = boost::beast;
namespace http = beast::http;

using PlainStream = tcp::socket;
using TlsStream = net::ssl::stream<tcp::socket>;
tcp::socket& socket_of(PlainStream& stream) { return stream; }
tcp::socket& socket_of(TlsStream& stream) { return stream.next_layer(); }

// One connection: waits for bytes, reads a request, hands it on, writes the
// answer, and again. While a request is handled a read is under way all the
// same, so that a client that goes away is noticed.
template <class Stream>
class Session : public Connection {
 public:
  Session(Common& common, Stream stream, uint64_t number, bool spare)
      : common_(common),
        stream_(std::move(stream)),
        timer_(common.io),
        answer_timer_(common.io),
        silence_timer_(common.io),
        number_(number),
        spare_(spare) {
    NetError none;
    address_ = socket_of(stream_).remote_endpoint(none).address().to_string();
    socket_of(stream_).set_option(tcp::no_delay(true), none);
  }

  void start() override {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      arm(kHandshake, &Session::close);
      stream_.async_handshake(net::ssl::stream_base::server,
                              bound(&Session::on_handshake));
    } else {
      wait_for_request();
    }
  }

  bool busy() const override { return phase_ == Phase::kBusy; }
  Clock::time_point since() const override { return begin_; }
  bool spare() const override { return spare_; }
  const std::string& address() const override { return address_; }
  int64_t unsent() const override { return unsent_; }

  void finish() override {
    if (phase_ == Phase::kIdle) arm(common_.config.grace, &Session::close);
    if (phase_ == Phase::kReading) arm(common_.config.rest, &Session::late);
  }

  void close() override {
    if (phase_ == Phase::kClosed) return;
    const bool unanswered = phase_ == Phase::kBusy;
    phase_ = Phase::kClosed;
    disarm();
    answer_timer_.cancel();
    silence_timer_.cancel();
    NetError none;
    socket_of(stream_).close(none);
    if (unanswered) {
      status_ = 499;
      ended(RequestEnd::kGone);
      log_access();
    }
    common_.unsent -= std::exchange(unsent_, 0);
    common_.open.erase(this->shared_from_this());
    common_.on_closed();
  }

  void begin(uint64_t request, HttpResponse head, bool whole) override {
    if (request != request_ || phase_ != Phase::kBusy || begun_) {
      if (whole && request == request_ && begun_) end(request);
      return;
    }
    begun_ = true, is_last_ = whole;
    status_ = head.status;
    chunked_ = !whole && request_version_ >= 11;
    keep_ = keep_ && !common_.stopping && (whole || chunked_);
    std::string text = head_text(head, {whole, chunked_, keep_});
    const bool body = whole && !is_head_;
    if (body) sent_ += std::ssize(head.body);
    const bool is_large = body && head.body.size() > kMostCopied;
    if (body && !is_large) text += head.body;
    put(std::move(text));
    if (is_large) put(std::move(head.body));
  }

  void write(uint64_t request, std::string part) override {
    if (request != request_ || phase_ != Phase::kBusy || is_last_) return;
    if (part.empty() || is_head_) return;
    sent_ += std::ssize(part);
    put(chunked_ ? chunk_text(part) : std::move(part));
  }

  void end(uint64_t request) override {
    if (request != request_ || phase_ != Phase::kBusy || is_last_) return;
    is_last_ = true;
    put(chunked_ ? last_chunk_text() : "");
  }

  bool set_on_end(uint64_t request,
                  std::function<void(RequestEnd)> call) override {
    if (request != request_ || phase_ != Phase::kBusy) return false;
    on_end_ = std::move(call);
    return true;
  }

 private:
  enum class Phase { kIdle, kReading, kBusy, kClosing, kClosed };
  using Step = void (Session::*)();

  template <class... Args>  // a handler that keeps the session
  auto bound(void (Session::*step)(Args...)) {
    return [self = shared(), step](Args... args) { ((*self).*step)(args...); };
  }

  std::shared_ptr<Session> shared() {
    return std::static_pointer_cast<Session>(this->shared_from_this());
  }

  void arm(double after, Step act) {
    timer_.expires_after(seconds(after));
    timer_.async_wait([self = shared(), act](NetError error) {
      // One that was armed anew may be on its way here already.
      if (!error && self->timer_.expiry() <= Clock::now()) ((*self).*act)();
    });
  }

  void disarm() { timer_.expires_at(Clock::time_point::max()); }

  void on_handshake(NetError error) {
    if (error) return close();
    wait_for_request();
  }

  void wait_for_request() {
    phase_ = Phase::kIdle;
    begin_ = Clock::now();
    if (buffer_.size() > 0) return end_read_ahead();
    arm(common_.stopping ? common_.config.grace : common_.config.idle,
        &Session::close);
    read_ahead();
  }

  void read_ahead() {
    if (reading_) return;
    reading_ = true;
    stream_.async_read_some(buffer_.prepare(kReadAhead),
                            bound(&Session::on_bytes));
  }

  // There is a request, or its beginning: it has a reader of its own.
  void end_read_ahead() {
    if (!reading_) return read_request();
    NetError none;
    socket_of(stream_).cancel(none);
  }

  void on_bytes(NetError error, size_t count) {
    reading_ = false;
    if (phase_ == Phase::kClosed) return;
    if (error == net::error::eof && phase_ == Phase::kBusy) {
      is_half_closed_ = true;
      keep_ = keep_ && buffer_.size() > 0;  // requests that came before
      return wait_in_silence();
    }
    const bool goes_on =
        error == net::error::operation_aborted || error == net::error::eof;
    const bool has_more = phase_ == Phase::kIdle && buffer_.size() > 0;
    if (error && !(goes_on && has_more)) return close();
    buffer_.commit(count);
    if (phase_ == Phase::kIdle) return read_request();
    if (phase_ == Phase::kBusy) watch_client();
    if (phase_ == Phase::kClosing) discard();
  }

  // Only who reads is told that a client is gone. What it sent behind its
  // request is kept meanwhile, up to a bound.
  void watch_client() {
    if (is_half_closed_) return wait_in_silence();
    if (buffer_.size() < kMostAhead) read_ahead();
  }

  // A client that only ended its side takes what is sent. One that is gone
  // makes a write fail, and while there is none it is given up.
  void wait_in_silence() {
    silence_timer_.expires_after(seconds(common_.config.half_closed));
    silence_timer_.async_wait([self = shared()](NetError error) {
      const bool over = self->silence_timer_.expiry() <= Clock::now();
      const bool silent = self->busy() && !self->writing_;
      if (!error && over && silent) self->close();
    });
  }

  void read_request() {
    phase_ = Phase::kReading;
    parser_.emplace();
    parser_->header_limit(static_cast<uint32_t>(common_.config.max_header));
    parser_->body_limit(static_cast<uint64_t>(common_.config.max_body));
    begin_ = Clock::now();
    ++request_;
    // Of who ended its side, what is not there will not come.
    arm(is_half_closed_ ? kRest : common_.config.header,
        is_half_closed_ ? Step(&Session::close) : Step(&Session::late));
    http::async_read_header(stream_, buffer_, *parser_,
                            bound(&Session::on_header));
  }

  // The reader is told by its error.
  void late() {
    is_late_ = true;
    NetError none;
    socket_of(stream_).cancel(none);
  }

  void on_header(NetError error, size_t) {
    if (phase_ == Phase::kClosed) return;
    if (error) return refuse(error);
    const Refusal fault = fault_of(parser_->get());
    if (fault.status != 0) return refuse(fault);
    arm(common_.stopping ? common_.config.rest : common_.config.body,
        &Session::late);
    const auto read = [this] {
      http::async_read(stream_, buffer_, *parser_, bound(&Session::on_request));
    };
    if (!beast::iequals(parser_->get()[http::field::expect], "100-continue")) {
      return read();
    }
    net::async_write(stream_, net::buffer(continue_text()),
                     [self = shared(), read](NetError wrong, size_t) {
                       if (self->phase_ == Phase::kClosed) return;
                       if (wrong) return self->close();
                       read();
                     });
  }

  void on_request(NetError error, size_t) {
    if (phase_ == Phase::kClosed) return;
    if (error) return refuse(error);
    const auto& message = parser_->get();
    keep_ = message.keep_alive() && !spare_;
    start_answer();
    HttpRequest request = taken(parser_->release());
    begin_handling(std::move(request));
  }

  HttpRequest taken(http::request<http::string_body> message) {
    HttpRequest request = request_of(std::move(message));
    request.address = address_;
    request.connection = number_;
    request.spare = spare_;
    request_version_ = request.version;
    is_head_ = request.method == "HEAD";
    access_ = access_of(request, common_.config.log_bodies);
    return request;
  }

  void start_answer() {
    phase_ = Phase::kBusy;
    disarm();
    begun_ = is_last_ = is_head_ = false;
    request_version_ = 11;
    status_ = 500;
    sent_ = 0;
  }

  void begin_handling(HttpRequest request) {
    const auto reply = std::make_shared<Reply>(common_, shared(), request_);
    answer_timer_.expires_after(seconds(common_.config.answer));
    answer_timer_.async_wait([self = shared(), n = request_](NetError error) {
      if (error || n != self->request_) return;
      self->ended(RequestEnd::kLate);
    });
    try {
      common_.handler(std::move(request), reply);
    } catch (const std::exception& error) {
      reply->send(own_error(common_, "", {500, error.what()}));
    }
    if (phase_ == Phase::kBusy) watch_client();
  }

  void ended(RequestEnd why) {
    if (const auto call = std::exchange(on_end_, {})) call(why);
  }

  // A request that cannot be read.
  void refuse(NetError error) {
    const bool late = std::exchange(is_late_, false);
    refuse(refusal_of(error, late, common_.config));
  }

  void refuse(const Refusal& refusal) {
    if (refusal.status == 0) return close();
    start_answer();
    access_ = {.method = "-", .path = "-", .address = address_};
    keep_ = false;
    const std::string path = place_of(parser_->get()).path;
    begin(request_, own_error(common_, path, refusal), true);
  }

  void put(std::string text) {
    if (phase_ == Phase::kClosed) return;
    unsent_ += std::ssize(text);
    common_.unsent += std::ssize(text);
    out_.push_back(std::move(text));
    if (!writing_) write_next();
    if (common_.unsent > common_.config.max_unsent) {
      common_.on_too_much_unsent();
    }
  }

  void write_next() {
    writing_ = true;
    arm(common_.config.write, &Session::close);
    net::async_write(stream_, net::buffer(out_.front()),
                     bound(&Session::on_written));
  }

  void on_written(NetError error, size_t) {
    writing_ = false;
    if (phase_ == Phase::kClosed) return;
    if (error) return close();
    unsent_ -= std::ssize(out_.front());
    common_.unsent -= std::ssize(out_.front());
    out_.pop_front();
    disarm();
    if (!out_.empty()) return write_next();
    if (is_last_) return answered();
    if (is_half_closed_) wait_in_silence();
  }

  void answered() {
    answer_timer_.cancel();
    silence_timer_.cancel();
    on_end_ = {};
    log_access();
    // An end is told once: who reads again would wait for it forever.
    const bool all_read = is_half_closed_ && buffer_.size() == 0;
    if (keep_ && !all_read) return wait_for_request();
    phase_ = Phase::kClosing;
    if (is_half_closed_) return close();
    // Bytes that nobody reads would make the system reset the connection,
    // and the client would lose its answer.
    NetError none;
    socket_of(stream_).shutdown(tcp::socket::shutdown_send, none);
    arm(kLinger, &Session::close);
    discard();
  }

  void discard() {
    discarded_ += static_cast<int64_t>(buffer_.size());
    buffer_.consume(buffer_.size());
    if (discarded_ > kMostDiscarded) return close();
    read_ahead();
  }

  void log_access() {
    access_.status = status_;
    access_.sent = sent_;
    access_.seconds = seconds_since(begin_);
    common_.log(access_);
  }

  Common& common_;
  Stream stream_;
  net::steady_timer timer_, answer_timer_, silence_timer_;
  const uint64_t number_;
  const bool spare_;
  std::string address_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  Phase phase_ = Phase::kIdle;
  uint64_t request_ = 0;  // its number on this connection
  bool reading_ = false, writing_ = false, is_late_ = false;
  bool is_half_closed_ = false;  // the client sends no more
  std::deque<std::string> out_;
  int64_t unsent_ = 0;  // bytes of it
  // Of the request under way:
  Clock::time_point begin_;
  int request_version_ = 11, status_ = 0;
  bool keep_ = false, is_head_ = false;
  bool begun_ = false, chunked_ = false, is_last_ = false;
  int64_t sent_ = 0, discarded_ = 0;
  std::function<void(RequestEnd)> on_end_;
  HttpAccess access_;
};

}  // namespace fovea
