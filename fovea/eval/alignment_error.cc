#include "fovea/eval/alignment_error.h"

#include <algorithm>

#include "fovea/base/check.h"

namespace fovea {
namespace {

double shared(const std::vector<Link>& a, const std::vector<Link>& b) {
  return static_cast<double>(
      std::count_if(a.begin(), a.end(), [&](const Link& link) {
        return std::binary_search(b.begin(), b.end(), link);
      }));
}

}  // namespace

void AlignmentError::count_part(const Part& part, MetricCounts& counts) const {
  check_usage(part.references.size() == 1, "AER takes one reference, not ",
              part.references.size());
  const auto read = [&](const MetricText& text, int64_t i) {
    return parse_alignment(text.lines[i], join(text.source, ":", i + 1),
                           first_);
  };
  for (int64_t i = part.begin; i < part.end; ++i) {
    const std::vector<Link> links = read(part.output, i).possible;
    const Alignment truth = read(part.references[0], i);
    const std::span<double> row = counts.row(i);
    row[0] = shared(links, truth.sure);
    row[1] = shared(links, truth.possible);
    row[2] = static_cast<double>(links.size());
    row[3] = static_cast<double>(truth.sure.size());
  }
}

AlignmentError::Result AlignmentError::result(std::span<const double> sums) {
  const auto percent = [](double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
  };
  const double all = sums[2] + sums[3];
  return {all > 0 ? 100 - percent(sums[0] + sums[1], all) : 0,
          percent(sums[1], sums[2]), percent(sums[0], sums[3])};
}

double AlignmentError::score(std::span<const double> sums) const {
  return result(sums).error;
}

std::vector<Figure> AlignmentError::figures(
    std::span<const double> sums) const {
  const Result r = result(sums);
  return {{"precision", {r.precision}, 2},
          {"recall", {r.recall}, 2},
          {"links", {sums[2]}},
          {"sure", {sums[3]}}};
}

std::string AlignmentError::signature(int references) const {
  return join("nrefs:", references, "|first:", first_, signature_version());
}

}  // namespace fovea
