#pragma once

#include <string>
#include <vector>

#include "fovea/base/fields.h"
#include "fovea/data/corpus.h"
#include "fovea/data/tokenizer.h"
#include "fovea/models/config.h"
#include "fovea/predict/classes.h"
#include "fovea/train/config.h"

namespace fovea::cli {

// What early stopping looks at.
enum class StopMetric { kLoss, kBleu, kChrf, kAccuracy };
constexpr EnumName<StopMetric> kStopMetrics[] = {
    {StopMetric::kLoss, "loss"},
    {StopMetric::kBleu, "bleu"},
    {StopMetric::kChrf, "chrf"},
    {StopMetric::kAccuracy, "accuracy"}};
constexpr auto& enum_names(StopMetric) { return kStopMetrics; }

enum class Task { kTranslate, kClassify };
constexpr EnumName<Task> kTasks[] = {{Task::kTranslate, "translate"},
                                     {Task::kClassify, "classify"}};
constexpr auto& enum_names(Task) { return kTasks; }

// All that `fovea train` can be told. It is saved in the model's folder, and
// the same command continues the run only if nothing has changed.
struct TrainConfig {
  Task task = Task::kTranslate;
  std::string out;
  CorpusConfig corpus;
  float max_ratio = 9;
  bool skip_duplicates = false, skip_leaks = false;
  std::vector<std::string> valid_src, valid_tgt, valid;
  TokenizerConfig text;
  bool joint_vocab = true;
  std::string source_vocab, target_vocab;
  std::vector<std::string> guided_alignment;
  std::string start_from;
  std::string preset = "auto";
  int layers = 0, width = 0, heads = 0, ffn = 0;
  float dropout = -1.0f;
  ModelConfig model;
  ClassesConfig classes;
  TrainerConfig trainer;
  StopMetric stop_metric = StopMetric::kBleu;
  int valid_beam_size = 1;
  int valid_samples = 3;
  int memory = 0;

  TrainConfig() { text.vocab_size = 0; }

  void fields(auto&& field) {
    field("task", task, "what the model shall do");
    field("out", out, "folder of the model");
    corpus.fields(field);
    field("max-ratio", max_ratio,
          "how many times longer, in bytes, one side of a pair may be");
    field("skip-duplicates", skip_duplicates, "skip lines seen before");
    field("skip-leaks", skip_leaks,
          "skip lines whose text is in the validation text");
    field("valid-src", valid_src, "source sentences to judge by");
    field("valid-tgt", valid_tgt, "target sentences to judge by");
    field("valid", valid, "labelled lines to judge by");
    text.fields(field);
    field("joint-vocab", joint_vocab,
          "one vocabulary for source and target sentences");
    field("source-vocab", source_vocab,
          "a vocabulary there is, of Fovea or SentencePiece");
    field("target-vocab", target_vocab, "likewise for target sentences");
    field("guided-alignment", guided_alignment,
          "files of word links (Pharaoh) that attention shall follow,\n"
          "or auto: align the training text first");
    field("start-from", start_from,
          "folder of a model to go on from, with its sizes and vocabularies");
    field("preset", preset,
          "a named model, which flags change; auto: by the amount of text");
    field("layers", layers, "of encoder and decoder each; 0: as the preset");
    field("width", width, "of embeddings and states; 0: as the preset");
    field("heads", heads, "of every attention; 0: as the preset");
    field("ffn", ffn, "width of feed-forward layers; 0: as the preset");
    field("dropout", dropout,
          "of embeddings, sublayers and layers; negative: as the preset");
    model.part_fields(field);
    field("classes", classes, "");
    trainer.fields(field);
    field("stop-metric", stop_metric, "the score that must improve");
    field("valid-beam-size", valid_beam_size, "of the search in validations");
    field("valid-samples", valid_samples, "sentences to show with each");
    field("memory", memory,
          "megabytes that training may take; sets batch-tokens");
  }
};

}  // namespace fovea::cli
