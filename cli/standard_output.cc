#include "cli/standard_output.h"

#include <unistd.h>

#include <exception>
#include <iostream>

namespace fovea::cli {

StandardOutput::StandardOutput()
    : file_(::dup(STDOUT_FILENO), "standard output"),
      at_once_(::isatty(STDOUT_FILENO) == 1),
      before_(std::cout.rdbuf(this)) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  std::cout.exceptions(std::ios::badbit);
  std::cerr.tie(nullptr);  // it must be able to tell of a failure
}

StandardOutput::~StandardOutput() {
  std::cout.exceptions(std::ios::goodbit);
  try {
    sync();
  } catch (const std::exception&) {
    // Whoever came this far has said what went wrong first.
  }
  std::cout.rdbuf(before_);
}

StandardOutput::int_type StandardOutput::overflow(int_type c) {
  sync();
  if (traits_type::eq_int_type(c, traits_type::eof())) return 0;
  return sputc(traits_type::to_char_type(c));
}

std::streamsize StandardOutput::xsputn(const char* bytes,
                                       std::streamsize count) {
  const std::streamsize written = std::streambuf::xsputn(bytes, count);
  if (at_once_) sync();
  return written;
}

int StandardOutput::sync() {
  const std::string_view bytes(pbase(), static_cast<size_t>(pptr() - pbase()));
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  file_.write(bytes);
  return 0;
}

}  // namespace fovea::cli
