#include "cli/gold_links.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/words.h"
#include "fovea/data/naacl.h"
#include "fovea/io/text_file.h"

namespace fovea::cli {
namespace {

constexpr int64_t kEnough = 10;  // pairs, of which some link a first word

struct Lines {
  std::string name;
  std::vector<std::string> lines;

  std::string place(size_t i) const { return join(name, ":", i + 1); }
};

Lines read_lines(const std::string& path) {
  Lines file{path, {}};
  LineReader reader(path);
  while (const auto line = reader.next()) file.lines.emplace_back(*line);
  return file;
}

bool is_naacl(const Lines& file) {
  for (const std::string& line : file.lines) {
    const auto words = split_words(line);
    if (words.empty()) continue;
    return std::ranges::all_of(words[0],
                               [](char c) { return c >= '0' && c <= '9'; });
  }
  return false;
}

std::vector<std::string> from_naacl(const Lines& file, int64_t sentences) {
  std::vector<std::string> all(sentences);
  for (size_t i = 0; i < file.lines.size(); ++i) {
    if (split_words(file.lines[i]).empty()) continue;
    const std::optional<NaaclLink> link = read_naacl(file.lines[i]);
    check_data(link.has_value(), file.place(i),
               ": not a link; expected sentence, source word, target word and "
               "perhaps S or P");
    check_data(link->sentence < sentences, file.place(i), ": sentence ",
               link->sentence + 1, " of a text of ", sentences);
    all[link->sentence] +=
        join(link->source, link->sure ? "-" : "?", link->target, " ");
  }
  return all;
}

std::vector<std::string> from_pharaoh(const Lines& file, int64_t sentences,
                                      int first) {
  check_data(std::ssize(file.lines) == sentences, file.name, ": ",
             file.lines.size(), " lines of gold links for a text of ",
             sentences);
  std::vector<std::string> all;
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const Alignment gold = parse_alignment(file.lines[i], file.place(i), first);
    std::string& line = all.emplace_back();
    for (const Link& link : gold.possible) {
      const bool sure = std::ranges::binary_search(gold.sure, link);
      line += join(link.source, sure ? "-" : "?", link.target, " ");
    }
  }
  return all;
}

std::vector<std::string> lines_of(std::span<const WordLinks> links) {
  std::vector<std::string> lines;
  for (const WordLinks& some : links) lines.push_back(write_pharaoh(some));
  return lines;
}

}  // namespace

PairLengths lengths_of(const ScoreRequest& pair) {
  return {std::ssize(split_words(pair.source)),
          std::ssize(split_words(pair.target))};
}

GoldLinks GoldLinks::read(const std::string& path, int64_t sentences,
                          int first) {
  const Lines file = read_lines(path);
  return GoldLinks(is_naacl(file) ? from_naacl(file, sentences)
                                  : from_pharaoh(file, sentences, first),
                   path);
}

GoldLinks GoldLinks::read(const std::string& path,
                          std::span<const PairLengths> text, int first) {
  GoldLinks gold = read(path, std::ssize(text), first);
  bool from_zero = false, any = false;
  for (size_t i = 0; i < text.size(); ++i) {
    for (const Link& link : parse_alignment(gold.lines_[i], path).possible) {
      const auto [source, target] = text[i];
      check_data(link.source < source && link.target < target, path,
                 ": sentence ", i + 1, ": a link of words ",
                 link.source + first, " and ", link.target + first,
                 ", but there are ", source, " and ", target,
                 " words, the first being ", first,
                 first == 0 ? " (--gold-first 1 if links count from 1)" : "");
      from_zero = from_zero || link.source == 0 || link.target == 0;
      any = true;
    }
  }
  if (any && !from_zero && std::ssize(text) >= kEnough) {
    log_warning(path,
                ": no link has the first word of a sentence; if words "
                "are counted from 1 give --gold-first 1");
  }
  return gold;
}

GoldLinks::GoldLinks(std::span<const WordLinks> links)
    : lines_(lines_of(links)), name_("links") {}

AlignmentError::Result GoldLinks::judge(
    std::span<const WordLinks> links) const {
  const std::vector<std::string> output = lines_of(links);
  const MetricText gold[] = {{lines_, name_}};
  return AlignmentError::result(
      AlignmentError().count({output, "output"}, gold).sums());
}

}  // namespace fovea::cli
