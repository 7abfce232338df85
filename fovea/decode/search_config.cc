#include "fovea/decode/search_config.h"

#include <cmath>

#include "fovea/base/check.h"
#include "fovea/kernels/topk.h"

namespace fovea {

void check_search_config(const SearchConfig& c) {
  constexpr int kWidest = kernels::kMostTopK / 2;
  check_usage(c.beam_size >= 1 && c.beam_size <= kWidest, "--beam-size ",
              c.beam_size, ": give a number from 1 to ", kWidest);
  check_usage(c.n_best >= 1 && (c.sample || c.n_best <= c.beam_size),
              "--n-best ", c.n_best, ": give a number from 1 to the beam's ",
              c.beam_size);
  check_usage(!c.sample || c.n_best <= kWidest, "--n-best ", c.n_best,
              ": give a number from 1 to ", kWidest);
  check_usage(std::isfinite(c.length_penalty), "--length-penalty ",
              c.length_penalty, ": give a number");
  check_usage(c.coverage_penalty >= 0 && std::isfinite(c.coverage_penalty),
              "--coverage-penalty ", c.coverage_penalty, ": give 0 or more");
  check_usage(c.patience >= 0, "--patience ", c.patience, ": give 0 or more");
  check_usage(c.beam_threshold >= 0, "--beam-threshold ", c.beam_threshold,
              ": give 0 or more");
  check_usage(c.min_length >= 0, "--min-length ", c.min_length,
              ": give 0 or more");
  check_usage(c.max_length >= 0, "--max-length ", c.max_length,
              ": give 0 or more");
  check_usage(c.max_length == 0 || c.min_length <= c.max_length,
              "--min-length ", c.min_length, " is more than --max-length ",
              c.max_length);
  check_usage(c.no_repeat_ngram >= 0, "--no-repeat-ngram ", c.no_repeat_ngram,
              ": give 0 or more");
  check_usage(c.temperature > 0 && std::isfinite(c.temperature),
              "--temperature ", c.temperature, ": give more than 0");
  check_usage(c.top_k >= 0, "--top-k ", c.top_k, ": give 0 or more");
  check_usage(c.top_p > 0 && c.top_p <= 1, "--top-p ", c.top_p,
              ": give more than 0 and at most 1");
}

}  // namespace fovea
