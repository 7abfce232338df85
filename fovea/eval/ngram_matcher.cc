#include "fovea/eval/ngram_matcher.h"

#include <algorithm>

namespace fovea {
namespace {

constexpr int kEmpty = -1;  // the n-gram of no symbols
constexpr size_t kFirstSlots = 1024;

uint64_t key_of(int shorter, int symbol) {
  return (static_cast<uint64_t>(static_cast<uint32_t>(shorter)) << 32) |
         static_cast<uint32_t>(symbol);
}

size_t hash(uint64_t key) {
  key *= 0x9e3779b97f4a7c15u;
  return static_cast<size_t>(key ^ (key >> 32));
}

}  // namespace

NgramMatcher::NgramMatcher(int orders)
    : orders_(orders), slots_(kFirstSlots), matches_(orders) {}

void NgramMatcher::forget_references() {
  ++round_;
  counts_.clear();
}

void NgramMatcher::add_reference(std::span<const int> symbols) {
  ++pass_;
  for (size_t begin = 0; begin < symbols.size(); ++begin) {
    const size_t end = std::min(symbols.size(), begin + orders_);
    int ngram = kEmpty;
    for (size_t i = begin; i < end; ++i) {
      ngram = find_or_add(ngram, symbols[i]);
      Count& count = counts_[ngram];
      count.most = std::max(count.most, count_once(count));
    }
  }
}

std::span<const int> NgramMatcher::match(std::span<const int> symbols) {
  ++pass_;
  std::fill(matches_.begin(), matches_.end(), 0);
  for (size_t begin = 0; begin < symbols.size(); ++begin) {
    const size_t end = std::min(symbols.size(), begin + orders_);
    int ngram = kEmpty;
    for (size_t i = begin; i < end; ++i) {
      ngram = find(ngram, symbols[i]);
      if (ngram < 0) break;  // nor does a reference have a longer one
      Count& count = counts_[ngram];
      matches_[i - begin] += count_once(count) <= count.most;
    }
  }
  return matches_;
}

// How often the n-gram was met in this pass, this time included.
int NgramMatcher::count_once(Count& count) const {
  if (count.pass != pass_) {
    count.pass = pass_;
    count.now = 0;
  }
  return ++count.now;
}

NgramMatcher::Slot& NgramMatcher::slot_of(uint64_t key) {
  const size_t mask = slots_.size() - 1;
  size_t at = hash(key) & mask;
  while (slots_[at].round == round_ && slots_[at].key != key) {
    at = (at + 1) & mask;
  }
  return slots_[at];
}

int NgramMatcher::find(int shorter, int symbol) {
  const Slot& slot = slot_of(key_of(shorter, symbol));
  return slot.round == round_ ? slot.number : -1;
}

int NgramMatcher::find_or_add(int shorter, int symbol) {
  if (2 * (counts_.size() + 1) > slots_.size()) grow();
  Slot& slot = slot_of(key_of(shorter, symbol));
  if (slot.round != round_) {
    slot = {key_of(shorter, symbol), static_cast<int>(counts_.size()), round_};
    counts_.push_back({});
  }
  return slot.number;
}

void NgramMatcher::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.round == round_) slot_of(slot.key) = slot;
  }
}

}  // namespace fovea
