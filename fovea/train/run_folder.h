#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/io/file_handle.h"
#include "fovea/io/safetensors.h"
#include "fovea/train/run_state.h"

namespace fovea {

// What a checkpoint holds.
struct CheckpointTensors {
  std::vector<NamedTensor> model;      // parameters and buffers
  std::vector<NamedTensor> optimizer;  // its state, and smoothed parameters
};

// The folder of a training run: checkpoints/step-N/, and state.yaml, which
// names those that count. Everything is written under another name first and
// takes its place when it is whole and on the disk, so that a crash at any
// moment leaves a folder from which the run goes on.
class RunFolder {
 public:
  // Makes the folder where needed and locks it: a second trainer is a usage
  // error, and so is a model without its index, which would be lost.
  // `overwrite` removes what an earlier run left.
  RunFolder(const std::string& path, bool overwrite);

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string checkpoint(int64_t step) const;  // its folder

  const RunIndex& index() const { return index_; }
  // Puts the new index in the place of the old one.
  void set_index(const RunIndex& index);

  // Writes a checkpoint. Of one that the index has as the last, the tensors are
  // there already: a step has the same ones whenever a run comes to it. But
  // its numbers may have changed, by a validation.
  void save(const RunState& state, const CheckpointTensors& tensors);
  // The numbers of a checkpoint.
  RunState numbers(int64_t step) const;
  // Fills in the tensors, and gives the numbers.
  RunState load(int64_t step, const CheckpointTensors& tensors) const;
  // Removes what an earlier run made of its text: vocabularies, labels, links.
  void remove_prepared() const;
  // Removes checkpoints that the index does not name.
  void clean() const;

 private:
  std::string path_;
  FileHandle lock_;
  RunIndex index_;
};

// Fills the tensors with the mean of those in several checkpoints: of smoothed
// parameters where they are kept.
void average_checkpoints(std::span<const std::string> folders,
                         const std::vector<NamedTensor>& tensors);

}  // namespace fovea
