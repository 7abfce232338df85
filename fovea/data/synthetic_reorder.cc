#include <algorithm>
#include <string_view>
#include <vector>

#include "fovea/data/synthetic_tasks.h"

namespace fovea {
namespace {

struct Entry {
  std::string_view english, french;
};

// All nouns are feminine and none begins with a vowel, so that one form of each
// word is right.
constexpr Entry kDeterminers[] = {
    {"the", "la"},  {"a", "une"},     {"this", "cette"},  {"my", "ma"},
    {"your", "ta"}, {"our", "notre"}, {"every", "chaque"}};
constexpr Entry kAdjectives[] = {
    {"european", "européenne"}, {"economic", "économique"},
    {"red", "rouge"},           {"green", "verte"},
    {"white", "blanche"},       {"black", "noire"},
    {"round", "ronde"},         {"cold", "froide"},
    {"modern", "moderne"},      {"public", "publique"},
    {"political", "politique"}, {"social", "sociale"},
    {"national", "nationale"},  {"difficult", "difficile"},
    {"famous", "célèbre"},      {"fast", "rapide"},
    {"strange", "étrange"},     {"chinese", "chinoise"},
    {"quiet", "calme"},         {"dangerous", "dangereuse"}};
constexpr Entry kThings[] = {
    {"area", "zone"},       {"house", "maison"},      {"car", "voiture"},
    {"city", "ville"},      {"table", "table"},       {"letter", "lettre"},
    {"river", "rivière"},   {"mountain", "montagne"}, {"door", "porte"},
    {"window", "fenêtre"},  {"law", "loi"},           {"bank", "banque"},
    {"language", "langue"}, {"machine", "machine"},   {"question", "question"},
    {"road", "route"},      {"stone", "pierre"},      {"beach", "plage"},
    {"boat", "barque"},     {"painting", "peinture"}};
constexpr Entry kPeople[] = {{"woman", "femme"},       {"girl", "fille"},
                             {"neighbour", "voisine"}, {"singer", "chanteuse"},
                             {"dancer", "danseuse"},   {"queen", "reine"},
                             {"seller", "vendeuse"},   {"friend", "copine"},
                             {"nurse", "soignante"},   {"reader", "lectrice"}};
constexpr Entry kVerbs[] = {{"sees", "voit"},     {"finds", "trouve"},
                            {"follows", "suit"},  {"likes", "préfère"},
                            {"draws", "dessine"}, {"visits", "visite"},
                            {"knows", "connaît"}, {"forgets", "néglige"},
                            {"paints", "peint"},  {"watches", "regarde"}};
constexpr Entry kPlaces[] = {{"behind", "derrière"}, {"in", "dans"},
                             {"with", "avec"},       {"without", "sans"},
                             {"under", "sous"},      {"for", "pour"}};

// Writes both sentences word by word; a word's place is given back.
class PairWriter {
 public:
  int english(std::string_view word) { return add(pair_.source, word, from_); }
  int french(std::string_view word) { return add(pair_.target, word, to_); }
  void link(int english, int french) {
    pair_.links.emplace_back(english, french);
  }
  SyntheticPair take() && {
    std::sort(pair_.links.begin(), pair_.links.end());
    return std::move(pair_);
  }

 private:
  static int add(std::string& text, std::string_view word, int& count) {
    if (!text.empty()) text += ' ';
    text += word;
    return count++;
  }

  SyntheticPair pair_{};
  int from_ = 0, to_ = 0;
};

void translated(PairWriter& out, const Entry& word) {
  out.link(out.english(word.english), out.french(word.french));
}

// Determiner, up to two adjectives, noun; in French the adjectives follow, the
// one nearest to the noun first.
void noun_phrase(PairWriter& out, Draws& draws, const Entry& noun) {
  translated(out, draws.one_of(kDeterminers));
  std::vector<std::pair<const Entry*, int>> adjectives;
  for (int n = draws.below(3); n > 0; --n) {
    const Entry& adjective = draws.one_of(kAdjectives);
    adjectives.emplace_back(&adjective, out.english(adjective.english));
  }
  translated(out, noun);
  std::reverse(adjectives.begin(), adjectives.end());
  for (const auto& [adjective, place] : adjectives) {
    out.link(place, out.french(adjective->french));
  }
}

void hit_with_a_pie(PairWriter& out, Draws& draws) {
  const int verb = out.french("entarte");
  out.link(out.english("hits"), verb);
  noun_phrase(out, draws, draws.one_of(kPeople));
  for (const char* word : {"with", "a", "pie"}) {
    out.link(out.english(word), verb);
  }
}

}  // namespace

SyntheticPair make_reordered(Draws draws) {
  PairWriter out;
  noun_phrase(out, draws, draws.one_of(kPeople));
  if (draws.once_in(8)) {
    hit_with_a_pie(out, draws);
  } else {
    translated(out, draws.one_of(kVerbs));
    noun_phrase(out, draws, draws.one_of(kThings));
  }
  if (draws.once_in(3)) {
    translated(out, draws.one_of(kPlaces));
    noun_phrase(out, draws, draws.one_of(kThings));
  }
  translated(out, {".", "."});
  return std::move(out).take();
}

}  // namespace fovea
