#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

// Counts the n-grams that a text shares with its references; an n-gram counts
// at most as often as it stands in the reference that has it most often
// (Papineni et al. 2002). Symbols are words or characters, by number.
class NgramMatcher {
 public:
  explicit NgramMatcher(int orders);

  void forget_references();
  void add_reference(std::span<const int> symbols);
  // The shared n-grams of 1, 2, ... symbols; valid until the next call.
  std::span<const int> match(std::span<const int> symbols);

 private:
  // An n-gram is an n-gram that is one shorter and a symbol.
  struct Slot {
    uint64_t key = 0;
    int number = 0;
    uint32_t round = 0;  // other than the current one: free
  };
  struct Count {
    int most = 0;  // in one reference
    int now = 0;   // in the text of this pass
    uint32_t pass = 0;
  };

  Slot& slot_of(uint64_t key);
  int find(int shorter, int symbol);  // -1 if no reference has it
  int find_or_add(int shorter, int symbol);
  void grow();
  int count_once(Count& count) const;

  int orders_;
  std::vector<Slot> slots_;  // a hash table with open addresses
  std::vector<Count> counts_;
  std::vector<int> matches_;
  uint32_t round_ = 1, pass_ = 0;
};

}  // namespace fovea
