#include <string_view>

#include "fovea/data/synthetic_tasks.h"

namespace fovea {
namespace {

constexpr std::string_view kActors[] = {"dog",   "cat",   "man",  "woman",
                                        "child", "horse", "bird", "bear"};
constexpr std::string_view kDeeds[] = {"chased", "followed", "kicked",
                                       "helped", "called",   "washed"};
constexpr std::string_view kKinds[] = {"old", "small", "black", "quick"};
constexpr std::string_view kTimes[] = {"yesterday", "today", "often"};
constexpr std::string_view kPlaces[] = {"in the garden", "near the river",
                                        "at home"};

// A source, word by word; a word's place is given back.
class ClauseWriter {
 public:
  explicit ClauseWriter(Draws draws) : draws_(draws) {}

  int add(std::string_view word) {
    if (!text_.empty()) text_ += ' ';
    text_ += word;
    return words_++;
  }
  // "the small dog", sometimes without "small".
  int add_actor(std::string_view actor) {
    add("the");
    if (draws_.once_in(2)) add(draws_.one_of(kKinds));
    return add(actor);
  }
  Draws& draws() { return draws_; }
  std::string take() { return std::move(text_); }

 private:
  Draws draws_;
  std::string text_;
  int words_ = 0;
};

}  // namespace

SyntheticPair make_roles(Draws first) {
  ClauseWriter clause(first);
  Draws& draws = clause.draws();
  const std::string_view who = draws.one_of(kActors);
  std::string_view whom = who;
  while (whom == who) whom = draws.one_of(kActors);
  const std::string_view deed = draws.one_of(kDeeds);
  if (draws.once_in(3)) clause.add(draws.one_of(kTimes));
  int who_at = 0, deed_at = 0, whom_at = 0;
  if (draws.once_in(2)) {
    who_at = clause.add_actor(who);
    deed_at = clause.add(deed);
    whom_at = clause.add_actor(whom);
  } else {
    whom_at = clause.add_actor(whom);
    clause.add("was");
    deed_at = clause.add(deed);
    clause.add("by");
    who_at = clause.add_actor(who);
  }
  if (draws.once_in(3)) clause.add(draws.one_of(kPlaces));
  SyntheticPair pair{.source = clause.take(), .target = {}};
  pair.target.append(who).append(" ").append(deed).append(" ").append(whom);
  pair.links = {{who_at, 0}, {deed_at, 1}, {whom_at, 2}};
  return pair;
}

}  // namespace fovea
