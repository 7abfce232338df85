#include "cli/guided_alignment.h"

#include <filesystem>

#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/data/symmetric_aligner.h"
#include "fovea/io/file_replacement.h"
#include "fovea/io/text_file.h"

namespace fovea::cli {
namespace {

// Sentences of several files, and how many each file has.
struct Text {
  Sentences sentences;
  std::vector<int64_t> lines;
};

Text read(const std::vector<std::string>& paths) {
  Text text;
  for (const std::string& path : paths) {
    const int64_t before = text.sentences.size();
    LineReader reader(path);
    while (const auto line = reader.next()) text.sentences.add(*line);
    text.lines.push_back(text.sentences.size() - before);
  }
  return text;
}

// Writes one file of links for each pair of texts.
void align(const Text& source, const Text& target,
           const std::vector<std::string>& files) {
  const Sentences& from = source.sentences;
  const Sentences& to = target.sentences;
  check_data(source.lines == target.lines,
             "--guided-alignment auto: source and target have different "
             "numbers of lines");
  const std::vector<WordLinks> links =
      SymmetricAligner::train(from, to).align_all(from, to, from.size());
  int64_t i = 0;
  for (size_t f = 0; f < files.size(); ++f) {
    FileReplacement file(files[f]);
    for (const int64_t end = i + source.lines[f]; i < end; ++i) {
      file.write(write_pharaoh(links[i]) + "\n");
    }
    file.commit();
  }
}

}  // namespace

std::vector<std::string> given_links(const TrainConfig& config) {
  const std::vector<std::string>& files = config.guided_alignment;
  const bool automatic = files.size() == 1 && files.front() == "auto";
  return automatic ? std::vector<std::string>{} : files;
}

std::vector<std::string> guiding_files(const TrainConfig& config,
                                       const std::string& folder) {
  if (config.guided_alignment.empty()) return {};
  const std::vector<std::string> given = given_links(config);
  if (!given.empty()) return given;
  std::vector<std::string> files;
  bool there = true;
  for (size_t i = 0; i < config.corpus.src.size(); ++i) {
    files.push_back(join(folder, "/guided/", i, ".align"));
    there = there && std::filesystem::exists(files.back());
  }
  if (there) return files;
  std::filesystem::create_directories(folder + "/guided");
  log_info("aligning the words of the training text");
  align(read(config.corpus.src), read(config.corpus.tgt), files);
  return files;
}

}  // namespace fovea::cli
