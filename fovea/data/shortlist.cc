#include "fovea/data/shortlist.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/data/word_aligner.h"

namespace fovea {
namespace {

constexpr int kBits = 64;

// In the file.
constexpr const char* kSizes = "sizes";  // tokens of the source, of the target
constexpr const char* kAlways = "always";
constexpr const char* kBegins = "begins";
constexpr const char* kWords = "words";

void check_config(const ShortlistConfig& config) {
  check_usage(config.each >= 1, "--each ", config.each, ": give at least 1");
  check_usage(config.frequent >= 0, "--frequent ", config.frequent,
              ": give 0 or more");
  check_usage(config.least >= 0 && config.least < 1, "--least ", config.least,
              ": give a number from 0 to below 1");
}

std::vector<int> most_frequent(const Sentences& sentences, int count) {
  std::vector<int64_t> times(sentences.id_count());
  for (int64_t i = 0; i < sentences.size(); ++i) {
    for (const int id : sentences[i]) ++times[id];
  }
  std::vector<int> ids(times.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::stable_sort(ids.begin(), ids.end(),
                   [&](int a, int b) { return times[a] > times[b]; });
  std::erase_if(ids, [&](int id) { return times[id] == 0; });
  ids.resize(std::min<size_t>(ids.size(), count));
  return ids;
}

void sort_unique(std::vector<int>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

std::vector<int> read_numbers(const SafetensorsFile& file,
                              const std::string& name) {
  const TensorBytes& found = file.find(name);
  check_data(found.type == "I32" && found.shape.size() == 1, file.source(),
             ": '", name, "' is no list of whole numbers");
  std::vector<int> numbers(found.shape[0]);
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), found.bytes.data(), found.bytes.size());
  }
  return numbers;
}

bool are_below(std::span<const int> ids, int most) {
  return std::ranges::all_of(ids, [=](int id) { return id >= 0 && id < most; });
}

TensorBytes numbers_of(const char* name, std::span<const int> numbers) {
  return {name, "I32", {std::ssize(numbers)}, std::as_bytes(numbers)};
}

}  // namespace

Shortlist::Shortlist(const ShortlistWords& words, std::vector<int> always,
                     std::vector<int> begins, std::vector<int> words_of)
    : target_(words.target),
      always_(std::move(always)),
      begins_(std::move(begins)),
      words_(std::move(words_of)),
      always_set_((words.target + kBits - 1) / kBits) {
  for (const int id : always_) {
    always_set_[id / kBits] |= uint64_t{1} << id % kBits;
  }
}

Shortlist Shortlist::learn(const Sentences& source, const Sentences& target,
                           const ShortlistWords& words,
                           const ShortlistConfig& config) {
  check_config(config);
  check(source.id_count() <= words.source && target.id_count() <= words.target,
        "shortlist: sentences have tokens that are in no vocabulary");
  check(are_below(words.always, words.target), "shortlist: no such token");
  check(words.copies.empty() || std::ssize(words.copies) == words.source,
        "shortlist: copies of ", words.copies.size(), " tokens, not of ",
        words.source);
  const WordAligner aligner = WordAligner::train(source, target);
  std::vector<int> always = most_frequent(target, config.frequent);
  always.push_back(words.end);
  always.insert(always.end(), words.always.begin(), words.always.end());
  sort_unique(always);
  std::vector<int> begins = {0}, all;
  for (int s = 0; s < words.source; ++s) {
    std::vector<int> own;
    if (!words.copies.empty() && words.copies[s] >= 0) {
      own.push_back(words.copies[s]);
    }
    for (const WordTranslation& t : aligner.translations(s, config.each)) {
      if (t.probability >= config.least) own.push_back(t.word);
    }
    sort_unique(own);
    std::erase_if(
        own, [&](int id) { return std::ranges::binary_search(always, id); });
    all.insert(all.end(), own.begin(), own.end());
    begins.push_back(static_cast<int>(all.size()));
  }
  return {words, std::move(always), std::move(begins), std::move(all)};
}

Shortlist Shortlist::read(const SafetensorsFile& file,
                          const ShortlistWords& words) {
  file.verify();
  const std::vector<int> sizes = read_numbers(file, kSizes);
  check_data(sizes == std::vector<int>{words.source, words.target},
             file.source(), ": is for other vocabularies than the model's");
  std::vector<int> always = read_numbers(file, kAlways),
                   begins = read_numbers(file, kBegins),
                   all = read_numbers(file, kWords);
  check_data(are_below(always, words.target) && are_below(all, words.target),
             file.source(), ": has tokens that the vocabulary lacks");
  check_data(std::ranges::is_sorted(always) &&
                 std::ranges::binary_search(always, words.end),
             file.source(), ": lacks the end mark");
  check_data(std::ssize(begins) == words.source + 1 && begins.front() == 0 &&
                 begins.back() == std::ssize(all) &&
                 std::ranges::is_sorted(begins),
             file.source(), ": its lists do not fit together");
  return {words, std::move(always), std::move(begins), std::move(all)};
}

void Shortlist::save(const std::string& path) const {
  const std::vector<int> sizes = {static_cast<int>(begins_.size()) - 1,
                                  target_};
  const std::vector<TensorBytes> tensors = {
      numbers_of(kSizes, sizes), numbers_of(kAlways, always_),
      numbers_of(kBegins, begins_), numbers_of(kWords, words_)};
  save_with_checksum(path, tensors);
}

std::vector<int> Shortlist::words_for(std::span<const int> source) const {
  std::vector<uint64_t> set = always_set_;
  for (const int s : source) {
    if (s < 0 || s + 1 >= std::ssize(begins_)) continue;
    for (const int id : of(s)) set[id / kBits] |= uint64_t{1} << id % kBits;
  }
  std::vector<int> ids;
  ids.reserve(always_.size() + 32 * source.size());
  for (size_t i = 0; i < set.size(); ++i) {
    for (uint64_t bits = set[i]; bits != 0; bits &= bits - 1) {
      ids.push_back(static_cast<int>(i) * kBits + std::countr_zero(bits));
    }
  }
  return ids;
}

}  // namespace fovea
