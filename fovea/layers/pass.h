#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/autograd/var.h"
#include "fovea/base/rng.h"

namespace fovea {

class Trace;    // attend/trace.h
class Impose;   // attend/impose.h
struct Choice;  // attend/reinforce.h

// A loss besides that of the task, a sum over the batch, which the trainer
// weighs by its name and divides by what it divides the task's by.
struct Loss {
  std::string name;
  Var value;  // one number
};

// The new value of a buffer, which the trainer writes after the step.
struct Update {
  Tensor buffer, value;
};

// What a forward pass carries besides its data. A layer hands `pass.in("name")`
// to each child, so that every layer knows its name, and its random numbers
// differ from those of others. The child refers to its parent: it must not
// outlive it, nor the name.
struct Pass {
  bool training = false;
  RandomKey key{};
  Trace* trace = nullptr;          // or: which weights are wanted
  const Impose* impose = nullptr;  // or: weights that replace a layer's own
  std::vector<Loss>* losses = nullptr;
  std::vector<Update>* updates = nullptr;
  std::vector<Choice>* choices = nullptr;  // made by hard attention

  Pass in(std::string_view child) const;
  Pass in(std::string_view child, int which) const;  // "layer.3"
  std::string name() const;                          // "encoder.layer.3"

  // Set by in().
  const Pass* outer = nullptr;
  std::string_view part = {};
  int index = -1;
};

}  // namespace fovea
