#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/attend/attention.h"
#include "fovea/attend/extent.h"
#include "fovea/attend/normaliser.h"
#include "fovea/attend/position.h"
#include "fovea/attend/score.h"
#include "fovea/attend/select.h"
#include "fovea/attend/trace.h"
#include "fovea/base/fields.h"
#include "fovea/layers/linear.h"

namespace fovea {

enum class EmptyRow { kZeros, kError };
constexpr EnumName<EmptyRow> kEmptyRows[] = {{EmptyRow::kZeros, "zeros"},
                                             {EmptyRow::kError, "error"}};
constexpr auto& enum_names(EmptyRow) { return kEmptyRows; }

// Any attention over rows, by the names of its parts (SPEC Z10). registry.h
// lists the names.
struct ComposedConfig {
  std::string score = "scaled_dot";
  std::string extent = "global";
  std::string normaliser = "auto";  // what suits the score
  std::string select = "soft";
  std::string position = "none";
  int heads = 1;
  int kv_heads = 0;     // 0: as many as heads
  int head_size = 0;    // 0: the query's width / heads
  int value_size = 0;   // of a head's projected values; 0: as head_size
  bool project = true;  // queries and keys by matrices
  bool value_proj = true;
  bool out_proj = true;
  bool bias = true;
  float scale = 0.0f;  // of a scaled dot product; 0: 1 / sqrt(head size)
  float temperature = 1.0f;
  float dropout = 0.0f;
  bool causal = false;
  bool exclude_self = false;
  bool coverage = false;
  EmptyRow empty_row = EmptyRow::kZeros;
  std::vector<std::string> options = {};

  void fields(auto&& field) {
    field("score", score, "how a query and a key are compared");
    field("extent", extent, "which keys a query looks at");
    field("normaliser", normaliser, "how scores become weights");
    field("select", select, "how weights choose values");
    field("position", position, "how positions enter");
    field("heads", heads, "heads of the queries");
    field("kv-heads", kv_heads, "heads of keys and values; 0: as many");
    field("head-size", head_size, "width of a head; 0: query width / heads");
    field("value-size", value_size,
          "width of a head's projected values; 0: as a head's");
    field("project", project, "project queries and keys");
    field("value-proj", value_proj, "project values");
    field("out-proj", out_proj, "project the result");
    field("bias", bias, "projections have a bias");
    field("scale", scale, "factor of scaled_dot; 0: 1/sqrt(head size)");
    field("temperature", temperature, "divides the scores");
    field("dropout", dropout, "rate of weights dropped in training");
    field("causal", causal, "see no later key");
    field("exclude-self", exclude_self,
          "a query does not see its own position");
    field("coverage", coverage, "scores know how much each key has had");
    field("empty-row", empty_row, "what a query that sees no key gives");
    field("options", options, "options of the parts, as name=value");
  }
};

// Width of the rows that the model hands over.
struct AttentionSizes {
  int query = 0;
  int key = 0;    // 0: as query
  int value = 0;  // 0: as key
  int extra = 0;  // width of Source::extra, where a mechanism needs it
  int out = 0;    // with an output projection; 0: as query
};

// The five parts; never null.
struct Parts {
  std::unique_ptr<Score> score;
  std::unique_ptr<Extent> extent;
  std::unique_ptr<Normaliser> normaliser;
  std::unique_ptr<Select> select;
  std::unique_ptr<Position> position;
};

// Five parts joined. Runs the fused kernel where the combination has one and
// nobody asks for more than it gives; else the general path, to which it is
// equal.
class Composed : public Attention {
 public:
  // Throws for combinations that make no sense, naming the two options.
  Composed(const ComposedConfig& config, const AttentionSizes& sizes,
           RandomKey key);

  Memory remember(const Source& source, const Pass& pass) const override;
  void extend(Memory& memory, const Source& new_rows) const override;
  Attended attend(const Queries& queries, const Memory& memory,
                  const Carry& carry, const Pass& pass) const override;
  void params(Params& p) override;

  // What dot products of these queries are taken of, if the pass's trace wants
  // to know and there are any.
  std::optional<Record::Vectors> vectors(const Queries& queries,
                                         const Memory& memory,
                                         const Pass& pass) const;
  const ComposedConfig& config() const { return config_; }
  ScoreKind score_kind() const { return parts_.score->kind(); }
  int out_width() const { return out_width_; }  // of the context

 private:
  struct Step;  // one call of attend

  void check_together() const;
  void check_weights_alone() const;
  Var prepared_keys(const Var& rows, std::span<const int> positions) const;
  Memory memory_of(const Source& source, std::span<const int> positions) const;

  Step prepare_step(const Queries& queries, const Memory& memory,
                    const Carry& carry) const;
  Attended all_steps(const Queries& queries, const Memory& memory,
                     const Carry& carry, const Pass& pass) const;
  // Which keys each row meets; `narrowed` is for Extent::adjust.
  Pairs pairs_of(const Step& step, Var& narrowed) const;
  bool top_is_fused(const Pass& pass) const;
  bool has_fused_kernel(const Step& step, const Pass& pass) const;
  Var fused(const Step& step, const Pass& pass) const;
  Position::Pairing pairing(const Step& step, const Pairs& pairs) const;
  Weights weights_of(const Step& step, const Pass& pass) const;
  RandomKey weights_key(const Step& step, const Pass& pass) const;
  Attended general(const Step& step, const Pass& pass) const;
  Var coverage_of(const Step& step) const;
  Carry carry_of(const Step& step, const Weights& weights) const;

  Record::About about(const Step& step, const Pass& pass) const;
  std::optional<Record::Vectors> vectors_of(const Step& step,
                                            const Pass& pass) const;
  // Of the fused kernel, and of the general path.
  void put_blocks(const Step& step, const Tensor& values,
                  std::vector<int> heads, const Pass& pass) const;
  void put_record(const Step& step, const Weights& weights,
                  std::vector<int> heads, const Pass& pass) const;
  Var finish(Var context, const Pass& pass) const;

  ComposedConfig config_;
  ScoreSizes score_sizes_;
  int value_width_ = 0, out_width_ = 0;  // of the memory's values, the context
  Linear query_, key_, value_, out_;
  Parts parts_;
};

}  // namespace fovea
