#include "fovea/data/corpus_files.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"

namespace fovea {
namespace {

static_assert(CorpusFiles::kVisitLines % LineFile::kStride == 0);

// An id takes four bytes and stands for about four of the text; the lines, as
// text and as ids, are there at the same time for a while.
constexpr int64_t kMemoryOfByte = 2, kMemoryOfLine = 64;

void shuffle(std::vector<Visit>& visits, RandomKey key) {
  for (size_t i = visits.size(); i > 1; --i) {
    std::swap(visits[i - 1], visits[key.with(i).bits() % i]);
  }
}

}  // namespace

CorpusFiles::CorpusFiles(std::vector<CorpusPart> parts)
    : parts_(std::move(parts)) {
  int64_t first = 0;
  bool seen = false;
  for (CorpusPart& part : parts_) {
    check_usage(part.weight >= 0 && std::isfinite(part.weight),
                "corpus-weights: ", part.weight, " is below 0");
    for (const LineFile& file : part.files) {
      check_data(file.lines() == part.lines(), part.files[0].path(), " has ",
                 part.lines(), " lines but ", file.path(), " has ",
                 file.lines());
    }
    part.first_line = first;
    first += part.lines();
    seen = seen || part.weight > 0;
  }
  check_usage(seen, "nothing to learn from: no corpus has a weight above 0");
}

int64_t CorpusFiles::lines() const {
  int64_t lines = 0;
  for (const CorpusPart& part : parts_) lines += part.lines();
  return lines;
}

int64_t CorpusFiles::memory(const Visit& visit) const {
  const CorpusPart& part = parts_[visit.part];
  int64_t bytes = 0;
  for (const LineFile& file : part.files) {
    bytes += file.bytes(visit.first, kVisitLines);
  }
  return bytes * kMemoryOfByte +
         kMemoryOfLine * std::min(kVisitLines, part.lines() - visit.first);
}

int64_t CorpusFiles::memory() const {
  int64_t all = 0;
  for (const Visit& visit : once()) all += memory(visit);
  return all;
}

std::vector<Visit> CorpusFiles::once() const {
  std::vector<Visit> visits;
  for (size_t p = 0; p < parts_.size(); ++p) {
    for (int64_t line = 0; line < parts_[p].lines(); line += kVisitLines) {
      visits.push_back({static_cast<int>(p), line, true});
    }
  }
  return visits;
}

std::vector<std::vector<Visit>> CorpusFiles::epoch(int64_t epoch, RandomKey key,
                                                   int64_t memory) const {
  std::vector<Visit> visits;
  for (Visit visit : once()) {
    const float weight = parts_[visit.part].weight;
    const auto whole = static_cast<int64_t>(weight);
    visits.insert(visits.end(), whole, visit);
    visit.whole = false;
    if (static_cast<float>(whole) < weight) visits.push_back(visit);
  }
  shuffle(visits, key.with(static_cast<uint64_t>(epoch)));
  std::vector<std::vector<Visit>> buffers;
  int64_t left = 0;
  for (const Visit& visit : visits) {
    const int64_t taken = this->memory(visit);
    if (buffers.empty() || taken > left) {
      buffers.emplace_back();
      left = memory;
    }
    buffers.back().push_back(visit);
    left -= taken;
  }
  return buffers;
}

bool CorpusFiles::has_turn(float weight, int64_t line, int64_t epoch) {
  const double part = static_cast<double>(weight) - std::floor(weight);
  const uint64_t bits =
      RandomKey().with("turn").with(static_cast<uint64_t>(line)).bits();
  const double start = static_cast<double>(bits >> 11) * 0x1p-53;
  const auto turns = [&](int64_t e) {
    return std::floor(static_cast<double>(e) * part + start);
  };
  return turns(epoch + 1) > turns(epoch);
}

}  // namespace fovea
