#include "fovea/layers/params.h"

#include "fovea/base/check.h"

namespace fovea {

std::string Params::full_name(std::string_view name) const {
  std::string full = prefix_;
  full.append(name);
  for (const Parameter& p : parameters_) {
    check(p.name != full, "two parameters are named '", full, "'");
  }
  for (const Buffer& b : buffers_) {
    check(b.name != full, "two parameters are named '", full, "'");
  }
  return full;
}

void Params::operator()(std::string_view name, Var& parameter) {
  if (parameter) parameters_.push_back({full_name(name), &parameter});
}

void Params::buffer(std::string_view name, Tensor& buffer) {
  buffers_.push_back({full_name(name), &buffer});
}

int64_t Params::count() const {
  int64_t total = 0;
  for (const Parameter& p : parameters_) total += p.value->value().size();
  return total;
}

void Params::prepare(Precision precision) const {
  for (const Prepare& prepare : prepares_) prepare(precision);
}

}  // namespace fovea
