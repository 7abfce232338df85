#pragma once

#include "fovea/attend/composed.h"
#include "fovea/base/fields.h"
#include "fovea/embed/token.h"
#include "fovea/encode/registry.h"
#include "fovea/predict/classes.h"

namespace fovea {

// A model that gives a text a label: embed, encode, attend, predict.
struct ClassifierConfig {
  EmbedConfig embed;
  EncoderConfig encode;
  ComposedConfig attend;
  ClassesConfig classes;
  int words = 0;   // of the vocabulary
  int labels = 0;  // that there are

  void fields(auto&& field) {
    field("embed", embed, "");
    field("encode", encode, "");
    field("attend", attend, "");
    field("classes", classes, "");
    field("words", words, "of the vocabulary");
    field("labels", labels, "that there are");
  }
};

}  // namespace fovea
