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
  check_usage(config.source_vocab.empty() && config.target_vocab.empty(),
              "--start-from comes with vocabularies: leave --source-vocab and "
              "--target-vocab out");
  config.source_vocab = source_vocabulary_file(folder);
  if (!config.joint_vocab) {
    config.target_vocab = target_vocabulary_file(folder, false);
  }
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
  for (const NamedTensor& t : mine) t.value.copy_from(weights.at(t.name));
  log_info("starting from the weights of ", config.start_from);
}

}  // namespace fovea::cli
