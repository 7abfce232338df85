#include "cli/train_start.h"

#include <map>

#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/io/yaml.h"
#include "fovea/layers/params.h"
#include "fovea/models/checkpoint.h"
#include "fovea/models/folder.h"

namespace fovea::cli {

void start_config(TrainConfig& config) {
  const std::string& folder = config.start_from;
  FolderConfig start;
  read_yaml(read_config_text(folder, "translate"), config_file(folder),
            fields_of(start));
  config.model = start.model;
  config.joint_vocab = start.joint_vocabulary;
  const std::string source = source_vocabulary_file(folder);
  const std::string target =
      config.joint_vocab ? "" : target_vocabulary_file(folder, false);
  const auto is_own = [](const std::string& given, const std::string& own) {
    return given.empty() || given == own;
  };
  check_usage(is_own(config.source_vocab, source) &&
                  is_own(config.target_vocab, target),
              "--start-from comes with vocabularies: leave --source-vocab and "
              "--target-vocab out");
  config.source_vocab = source;
  config.target_vocab = target;
}

void start_weights(const TrainConfig& config, Seq2Seq& model) {
  const TranslationModel start =
      load_unpacked_translation_model(config.start_from);
  std::map<std::string, Tensor> weights;
  for (const NamedTensor& t : tensors_of(Params(*start.model))) {
    weights.emplace(t.name, t.value);
  }
  const std::vector<NamedTensor> mine = tensors_of(Params(model));
  for (const NamedTensor& t : mine) {
    const auto found = weights.find(t.name);
    check_usage(
        found != weights.end() && found->second.shape() == t.value.shape(),
        "--start-from ", config.start_from, ": its '", t.name,
        "' does not fit; leave flags out that change sizes");
  }
  for (const NamedTensor& t : mine) {
    t.value.copy_from(weights.at(t.name));
    weights.erase(t.name);
  }
  check_usage(weights.empty(), "--start-from ", config.start_from, ": its '",
              weights.empty() ? "" : weights.begin()->first,
              "' would be lost; leave flags out that change sizes");
  log_info("starting from the weights of ", config.start_from);
}

}  // namespace fovea::cli
