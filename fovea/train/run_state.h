#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/base/fields.h"
#include "fovea/data/corpus.h"

namespace fovea {

// All numbers that a run needs to go on, besides tensors. Everything in it
// follows from the data, the config and the seed; nothing from the time.
struct RunState {
  int64_t step = 0;
  CorpusPlace place;  // of the next batch
  // Early stopping.
  double best_score = 0, best_loss = 0;
  int64_t best_step = -1;  // none yet
  int64_t validations = 0;
  int64_t judged = -1;  // step of the last one
  int worse = 0;        // validations since the best one
  // Against exploding: running mean of the loss, and the least one so far.
  double running_loss = 0, least_loss = 0;
  // Since the last line of the history.
  double shown_loss = 0, shown_nll = 0;
  int64_t shown_rows = 0, shown_steps = 0;
  int64_t history_bytes = 0;

  void fields(auto&& field) {
    field("step", step, "");
    field("place", place, "");
    field("best-score", best_score, "");
    field("best-loss", best_loss, "");
    field("best-step", best_step, "");
    field("validations", validations, "");
    field("judged", judged, "");
    field("worse", worse, "");
    field("running-loss", running_loss, "");
    field("least-loss", least_loss, "");
    field("shown-loss", shown_loss, "");
    field("shown-nll", shown_nll, "");
    field("shown-rows", shown_rows, "");
    field("shown-steps", shown_steps, "");
    field("history-bytes", history_bytes, "");
  }
};

// Which checkpoints a folder has, and how far the run is.
struct RunIndex {
  int64_t last = -1;         // newest checkpoint
  int64_t best = -1;         // best one so far
  int64_t steady = -1;       // newest one at a step that the config names
  int recoveries = 0;        // times that the run went back to a checkpoint
  double rate_factor = 1.0;  // of the learning rate, smaller after a recovery
  std::vector<int64_t> kept = {};  // steady ones there are, oldest first
  bool finished = false;
  std::string reason = {};              // why it finished
  std::vector<std::string> texts = {};  // what the run reads, as its owner says

  // Forgets what came after a steady checkpoint.
  void rewind(int64_t step) {
    last = steady = step;
    if (best > step) best = -1;
    std::erase_if(kept, [=](int64_t later) { return later > step; });
  }

  void fields(auto&& field) {
    field("last", last, "newest checkpoint");
    field("best", best, "best checkpoint");
    field("steady", steady, "newest checkpoint at a step of the config's");
    field("recoveries", recoveries, "times that the run went back");
    field("rate-factor", rate_factor, "of the learning rate");
    field("kept", kept, "checkpoints there are");
    field("finished", finished, "the run is over");
    field("reason", reason, "why");
    field("texts", texts, "files that the run reads: size, hash, path");
  }
};

}  // namespace fovea
