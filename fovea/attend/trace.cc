#include "fovea/attend/trace.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "fovea/base/check.h"
#include "fovea/tensor/rows.h"

namespace fovea {
namespace {

// * stands for any letters.
bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') {
    for (size_t i = 0; i <= name.size(); ++i) {
      if (matches(pattern.substr(1), name.substr(i))) return true;
    }
    return false;
  }
  return !name.empty() && name[0] == pattern[0] &&
         matches(pattern.substr(1), name.substr(1));
}

// Columns of one of `heads` parts of the rows [begin, begin + count).
Tensor part_of(const Tensor& all, RowRange rows, int heads, int head) {
  const int64_t width = all.cols() / heads;
  Tensor part({rows.length, width});
  for (int64_t i = 0; i < rows.length; ++i) {
    const float* from = all.data() + (rows.start + i) * all.cols();
    std::copy_n(from + head * width, width, part.data() + i * width);
  }
  return part;
}

}  // namespace

Record::Record(About about, Blocks blocks, std::optional<Vectors> vectors)
    : about_(std::move(about)),
      blocks_(std::move(blocks)),
      vectors_(std::move(vectors)) {
  const auto heads = static_cast<int64_t>(blocks_.heads.size());
  int64_t begin = 0;
  for (int b = 0; b < sequences(); ++b) {
    begin_.push_back(begin);
    begin += heads * queries(b) * keys(b);
  }
  check(blocks_.values.size() == begin, "a record of ", about_.name, ": ",
        blocks_.values.size(), " weights for ", begin, " places");
  check(std::ssize(blocks_.visible) == blocks_.queries.total(), "a record of ",
        about_.name, ": ", blocks_.visible.size(), " visible ranges for ",
        blocks_.queries.total(), " queries");
}

int64_t Record::block(int sequence, int head) const {
  const auto& all = blocks_.heads;
  const auto found = std::find(all.begin(), all.end(), head);
  check(found != all.end(), "no weights of head ", head, " of ", about_.name,
        " were recorded");
  return begin_[sequence] +
         (found - all.begin()) * int64_t{queries(sequence)} * keys(sequence);
}

Tensor Record::weights(int sequence, int head) const {
  const int64_t rows = queries(sequence), cols = keys(sequence);
  const auto all = blocks_.values.span();
  return Tensor::from({rows, cols},
                      all.subspan(block(sequence, head), rows * cols));
}

Tensor Record::mean_weights(int sequence) const {
  Tensor mean = Tensor::zeros({queries(sequence), keys(sequence)});
  const float share = 1.0f / static_cast<float>(blocks_.heads.size());
  for (int head : blocks_.heads) {
    const Tensor one = weights(sequence, head);
    for (int64_t i = 0; i < one.size(); ++i) mean[i] += share * one[i];
  }
  return mean;
}

std::vector<bool> Record::valid(int sequence) const {
  const int cols = keys(sequence);
  std::vector<bool> seen(static_cast<size_t>(queries(sequence)) * cols);
  for (int i = 0; i < queries(sequence); ++i) {
    const Pairs::Row& row =
        blocks_.visible[blocks_.queries.begin(sequence) + i];
    for (int j = row.first; j < std::min(row.first + row.keys, cols); ++j) {
      seen[static_cast<size_t>(i) * cols + j] = true;
    }
  }
  return seen;
}

Record::HeadVectors Record::vectors(int sequence, int head) const {
  check(has_vectors(), "no vectors of ", about_.name, " were recorded");
  const Vectors& all = *vectors_;
  const int heads = all.heads, key_heads = all.key_heads;
  check(head >= 0 && head < heads, "head ", head, " of ", about_.name);
  const int count = queries(sequence), length = keys(sequence);
  const RowRange query{blocks_.queries.begin(sequence), count, count};
  const RowRange key{all.keys_begin[sequence], length, length};
  const int shared = head / (heads / key_heads);
  return {part_of(all.query, query, heads, head),
          part_of(all.key, key, key_heads, shared),
          part_of(all.value, key, key_heads, shared), all.scale};
}

Trace::Trace(std::vector<Request> requests) : requests_(std::move(requests)) {}

std::vector<int> Trace::wanted(const std::string& layer, int heads) const {
  std::vector<int> all;
  for (const Request& request : requests_) {
    if (!matches(request.layer, layer)) continue;
    if (request.heads.empty()) {
      all.resize(heads);
      std::iota(all.begin(), all.end(), 0);
      return all;
    }
    for (int head : request.heads) {
      check_usage(head >= 0 && head < heads, "head ", head, " of ", layer,
                  " is wanted, which has ", heads);
      all.push_back(head);
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

bool Trace::wants_vectors(const std::string& layer) const {
  return std::ranges::any_of(requests_, [&](const Request& request) {
    return request.vectors && matches(request.layer, layer);
  });
}

std::vector<const Record*> Trace::of(const std::string& layer) const {
  std::vector<const Record*> found;
  std::set<std::string> names;
  for (const Record& record : records_) {
    const std::string& name = record.about().name;
    if (name == layer) found.push_back(&record);
    names.insert(name);
  }
  std::string list;
  for (const std::string& name : names) list += " " + name;
  check(!found.empty(), "no weights of '", layer,
        "' were recorded; there are:", list);
  return found;
}

std::vector<int> traced_heads(const Pass& pass, int heads) {
  if (!pass.trace) return {};
  return pass.trace->wanted(pass.name(), heads);
}

}  // namespace fovea
