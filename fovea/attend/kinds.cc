#include "fovea/attend/kinds.h"

namespace fovea {
namespace {

constexpr KindEntry kKinds[] = {
    {"pooling", "the rows of a sequence as one, by a learned query",
     "fovea/attend/pooling.h"},
    {"doubly_stochastic", "a loss: every key gets a weight of 1 in sum",
     "fovea/attend/doubly_stochastic.h"},
    {"selector", "sigmoid(w.h) times the context", "fovea/attend/selector.h"},
    {"input_feeding", "tanh(W [c; h]) joins the input of the next step",
     "fovea/attend/input_feeding.h"},
    {"pointer", "g p_vocab + (1 - g) times the weights of a word's places",
     "fovea/attend/pointer.h"},
    {"coverage", "scores know what each key has had: option of a composition",
     "fovea/attend/composed.h"},
    {"lstmn", "an LSTM that attends to all its earlier states",
     "fovea/attend/lstmn.h"},
    {"residual_attention", "a mask on images: (1 + M) * T",
     "fovea/attend/mask_residual.h"},
    {"attention_gate", "a mask on images by a coarser signal",
     "fovea/attend/mask_gate.h"},
};

}  // namespace

std::span<const KindEntry> kind_registry() { return kKinds; }

}  // namespace fovea
