// Translation of Multi30k's test of 2016, 1000 sentences, beside CTranslate2
// with the same weights. Text becomes ids before, on both sides.
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/translation_case.h"

namespace fovea::bench {
namespace {

constexpr int kAllSentences = 1000, kLatencySentences = 200;

std::vector<Row> translate_one(const TranslationSet& set,
                               const TranslationCase& c, Row row) {
  Translation ours(set, c);
  Peer peer = ctranslate2(set, c, row.threads);
  ours.run();
  const bool comparable = c.precision == Precision::kFloat32 && c.beam == 1;
  if (peer.present() && comparable && !alike(peer, ours)) return {row};
  row = against(peer, row, [&] { ours.run(); });
  return {as_speed(row, ours.sentences()), share_row(row, c, ours)};
}

// Ours against the best of theirs, which has the same shortlist to choose from,
// and how much better theirs is.
std::vector<Row> shortlist_one(const TranslationSet& set,
                               const TranslationCase& c, Row row) {
  Translation ours(set, c);
  Peer peer = ctranslate2(set, c, row.threads);
  row = against(peer, row, [&] { ours.run(); });
  const Row share = share_row(row, c, ours);
  row = as_speed(row, ours.sentences());
  if (!peer.present()) return {row, share};
  Row lost = unmeasured("translate_bleu", "shortlist, " + c.name(), row.threads,
                        "lost");
  lost.value = bleu_of(set, ours.text(outputs_of(peer))) -
               bleu_of(set, ours.text(ours.outputs()));
  return {row, share, lost};
}

std::vector<Row> latency_one(const TranslationSet& set,
                             const TranslationCase& c, Row row) {
  Translation ours(set, c);
  Peer peer = ctranslate2(set, c, row.threads);
  row = against(peer, row, [&] { ours.run(); });
  const Row share = share_row(row, c, ours);
  row.value /= ours.sentences();
  row.peer_value /= ours.sentences();
  return {row, share};
}

using Measure = std::vector<Row> (*)(const TranslationSet& set,
                                     const TranslationCase& c, Row row);

std::vector<Row> each(const Row& like, const std::vector<TranslationCase>& some,
                      Measure measure) {
  const auto set = translation_set();
  std::vector<Row> rows;
  for (const TranslationCase& c : some) {
    Row row = like;
    row.name = c.name();
    const std::vector<Row> more =
        set && wanted(row) ? measure(*set, c, row) : std::vector<Row>{row};
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

std::vector<Row> shortlists(int threads) {
  const auto set = translation_set();
  std::optional<Shortlist> shortlist;
  if (set) shortlist = shortlist_of(*set);
  std::vector<TranslationCase> some = translation_cases(64, kAllSentences);
  std::erase_if(some, [](const TranslationCase& c) {
    return c.precision == Precision::kFloat32;
  });
  for (TranslationCase& c : some) {
    c.shortlist = shortlist ? &*shortlist : nullptr;
  }
  return each(unmeasured("translate_shortlist", "", threads, "sent/s"), some,
              shortlist_one);
}

}  // namespace

Bench translate_bench() {
  return {"translate", [](int threads) {
            return each(unmeasured("translate", "", threads, "sent/s"),
                        translation_cases(64, kAllSentences), translate_one);
          }};
}

Bench translate_latency_bench() {
  return {"translate_latency",
          [](int threads) {
            return each(unmeasured("translate_latency", "", threads, "ms"),
                        translation_cases(1, kLatencySentences), latency_one);
          },
          {1}};
}

Bench translate_shortlist_bench() {
  return {"translate_shortlist", shortlists};
}

}  // namespace fovea::bench
