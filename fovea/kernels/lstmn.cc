#include "fovea/kernels/lstmn.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "fovea/kernels/additive.h"
#include "fovea/kernels/recurrent_rows.h"
#include "fovea/kernels/recurrent_steps.h"
#include "fovea/kernels/softmax.h"
#include "fovea/tensor/allocator.h"

namespace fovea::kernels {
namespace {

// The lanes of one step: their rows, and the slots that they read.
struct LanesOfStep {
  std::vector<int64_t> rows;
  std::vector<PairRow> pairs;
  std::vector<int> offsets{0};

  LanesOfStep(const LstmnTape& tape, const StepGroup& group, int step) {
    for (int j = 0; j < group.active(step); ++j) {
      rows.push_back(group.row(j, step));
      PairRow pair = tape.pairs.rows[rows.back()];
      pair.offset = offsets.back();
      pairs.push_back(pair);
      offsets.push_back(offsets.back() + pair.keys);
    }
  }
  int64_t count() const { return std::ssize(rows); }
  PairLayout layout() const { return {pairs, 1, 1}; }
  RaggedRows ragged() const { return RaggedRows(offsets); }
  // The slot that lane j writes.
  int64_t slot(int64_t j) const { return pairs[j].key + pairs[j].keys; }
};

void copy_row(const float* from, int64_t count, float* to) {
  std::copy_n(from, count, to);
}

void add_row(const float* from, int64_t count, float* to) {
  for (int64_t k = 0; k < count; ++k) to[k] += from[k];
}

void load_rows(const LanesOfStep& lanes, ConstMatrixView rows, MatrixView to) {
  for (int64_t j = 0; j < lanes.count(); ++j) {
    copy_row(rows.row(lanes.rows[j]), to.cols, to.row(j));
  }
}

void store_rows(const LanesOfStep& lanes, ConstMatrixView from,
                MatrixView rows) {
  for (int64_t j = 0; j < lanes.count(); ++j) {
    copy_row(from.row(j), from.cols, rows.row(lanes.rows[j]));
  }
}

// The numbers of the lanes' pairs, one lane after another, from and to where
// all pairs lie.
void load_pairs(const LanesOfStep& lanes, const PairLayout& all,
                const float* from, float* to) {
  for (int64_t j = 0; j < lanes.count(); ++j) {
    copy_row(from + all.begin(lanes.rows[j], 0), lanes.pairs[j].keys,
             to + lanes.offsets[j]);
  }
}

void store_pairs(const LanesOfStep& lanes, const PairLayout& all,
                 const float* from, float* to) {
  for (int64_t j = 0; j < lanes.count(); ++j) {
    copy_row(from + lanes.offsets[j], lanes.pairs[j].keys,
             to + all.begin(lanes.rows[j], 0));
  }
}

// The most numbers that one step of the group has.
int64_t largest_step(const LstmnTape& tape, const StepGroup& group) {
  int64_t total = 0;
  for (int j = 0; j < group.lanes(); ++j) {
    const int length = tape.of.length(group.sequence(j));
    if (length == 0) continue;
    total += tape.pairs.rows[group.row(j, length - 1)].keys;
  }
  return total;
}

// Matrices of one row for each lane, in one piece of memory.
class LaneMatrices {
 public:
  LaneMatrices(int64_t lanes, int64_t columns)
      : lanes_(lanes), memory_(lanes * columns) {}
  MatrixView next(int64_t cols) {
    const MatrixView view(memory_.data() + used_, lanes_, cols);
    used_ += lanes_ * cols;
    assert(used_ <= static_cast<int64_t>(memory_.size()));
    return view;
  }

 private:
  int64_t lanes_, used_ = 0;
  Scratch<float> memory_;
};

class ForwardGroup {
 public:
  ForwardGroup(const LstmnForward& args, const StepGroup& group)
      : args_(args),
        group_(group),
        width_(args.states.cols),
        scored_(args.given ? 0 : args.query.cols),
        keyed_(args.tape.keys.cols),
        lanes_(group.lanes(), 7 * width_ + scored_ + keyed_),
        sums_(lanes_.next(2 * width_)),
        product_(lanes_.next(4 * width_)),
        h_(lanes_.next(width_)),
        query_(lanes_.next(scored_)),
        key_(lanes_.next(keyed_)),
        softmax_(largest_step(args.tape, group)) {}

  void run() {
    gather_lanes(group_, args_.summary0, sums_.col_range(0, width_));
    for (int t = 0; t < group_.steps(); ++t) {
      const LanesOfStep lanes(args_.tape, group_, t);
      weigh(lanes, t);
      pair_gather(softmax_.data(), args_.tape.slots, lanes.layout(), 1.0f,
                  false, first(sums_, lanes));
      store_rows(lanes, first(sums_, lanes), args_.sums);
      args_.weights.recurrent.multiply(first(sums_, lanes).col_range(0, width_),
                                       first(product_, lanes));
      for (int64_t j = 0; j < lanes.count(); ++j) step(lanes, j);
      write_keys(lanes);
    }
  }

 private:
  MatrixView first(MatrixView m, const LanesOfStep& lanes) const {
    return m.row_range(0, lanes.count());
  }

  void weigh(const LanesOfStep& lanes, int t) {
    const PairLayout& all = args_.tape.pairs;
    if (args_.given) {
      return load_pairs(lanes, all, args_.softmax, softmax_.data());
    }
    const MatrixView q = first(query_, lanes);
    load_rows(lanes, args_.query, q);
    if (args_.weights.summary && (t > 0 || args_.summary0.data)) {
      args_.weights.summary.multiply(first(sums_, lanes).col_range(0, width_),
                                     q, {.accumulate = true});
      store_rows(lanes, q, args_.query);
    }
    additive_forward({.q = q, .k = args_.tape.keys, .v = args_.weights.v},
                     lanes.layout(), softmax_.data());
    softmax(softmax_.data(), lanes.ragged(), softmax_.data());
    store_pairs(lanes, all, softmax_.data(), args_.softmax);
  }

  void step(const LanesOfStep& lanes, int64_t j) const {
    const int64_t row = lanes.rows[j];
    float* cell = args_.cells.row(row);
    copy_row(sums_.row(j) + width_, width_, cell);
    lstm_row_forward(
        {.product = product_.row(j),
         .gates = args_.gates.row(row),
         .c = cell,
         .h = h_.row(j),
         .state = args_.states.row(row),
         .cell = cell,
         .added = args_.added.data ? args_.added.row(row) : nullptr},
        width_);
    float* slot = args_.tape.slots.row(lanes.slot(j));
    copy_row(h_.row(j), width_, slot);
    copy_row(cell, width_, slot + width_);
  }

  void write_keys(const LanesOfStep& lanes) const {
    if (keyed_ == 0) return;
    args_.weights.key.multiply(first(h_, lanes), first(key_, lanes));
    for (int64_t j = 0; j < lanes.count(); ++j) {
      copy_row(key_.row(j), keyed_, args_.tape.keys.row(lanes.slot(j)));
    }
  }

  const LstmnForward& args_;
  const StepGroup& group_;
  int64_t width_, scored_, keyed_;
  LaneMatrices lanes_;
  MatrixView sums_, product_, h_, query_, key_;
  Scratch<float> softmax_;
};

class BackwardGroup {
 public:
  BackwardGroup(const LstmnBackward& args, const StepGroup& group)
      : args_(args),
        group_(group),
        width_(args.cells.cols),
        scored_(args.given ? 0 : args.query.cols),
        lanes_(group.lanes(), 7 * width_ + 3 * scored_),
        dsums_(lanes_.next(2 * width_)),
        dproduct_(lanes_.next(4 * width_)),
        dh_(lanes_.next(width_)),
        query_(lanes_.next(scored_)),
        dquery_(lanes_.next(scored_)),
        dkey_(lanes_.next(scored_)),
        numbers_(largest_step(args.tape, group)),
        pairs_(3 * numbers_) {}

  void run() {
    int64_t later = 0;  // lanes that had a row at the step after
    for (int t = group_.steps() - 1; t >= 0; --t) {
      const LanesOfStep lanes(args_.tape, group_, t);
      state_gradient(lanes);
      for (int64_t j = 0; j < lanes.count(); ++j) step(lanes, j);
      const MatrixView dh = first(dsums_, lanes).col_range(0, width_);
      args_.weights.recurrent.multiply(first(dproduct_, lanes), dh);
      if (args_.weights.summary && !args_.given && later > 0) {
        args_.weights.summary.multiply(dquery_.row_range(0, later),
                                       dh.row_range(0, later),
                                       {.accumulate = true});
      }
      weigh(lanes);
      later = lanes.count();
    }
  }

 private:
  MatrixView first(MatrixView m, const LanesOfStep& lanes) const {
    return m.row_range(0, lanes.count());
  }
  float* softmax_of() const { return pairs_.data(); }
  float* dsoftmax_of() const { return pairs_.data() + numbers_; }
  float* dscores_of() const { return pairs_.data() + 2 * numbers_; }

  // What the steps after this one sent back to its state.
  void state_gradient(const LanesOfStep& lanes) const {
    const MatrixView dh = first(dh_, lanes), dkey = first(dkey_, lanes);
    for (int64_t j = 0; j < lanes.count(); ++j) {
      copy_row(args_.dslots.row(lanes.slot(j)), width_, dh.row(j));
      if (args_.given) continue;
      copy_row(args_.dkeys.row(lanes.slot(j)), scored_, dkey.row(j));
    }
    if (args_.given) return;
    args_.weights.key.multiply(dkey, dh, {.accumulate = true});
  }

  void step(const LanesOfStep& lanes, int64_t j) const {
    const int64_t row = lanes.rows[j];
    float* dcell = dsums_.row(j) + width_;
    copy_row(args_.dslots.row(lanes.slot(j)) + width_, width_, dcell);
    add_row(args_.dcells.row(row), width_, dcell);
    lstm_row_backward(
        {.cell = args_.cells.row(row),
         .cell_before = args_.sums.row(row) + width_,
         .dstate = args_.dstates.row(row),
         .dh = dh_.row(j),
         .dc = dcell,
         .gates = args_.gates.row(row),
         .dsum = dproduct_.row(j),
         .dadded = args_.dadded.data ? args_.dadded.row(row) : nullptr},
        width_);
  }

  // From the gradients of the sums to those of slots, scores and query.
  void weigh(const LanesOfStep& lanes) const {
    const LstmnTape& tape = args_.tape;
    const MatrixView dsums = first(dsums_, lanes);
    load_pairs(lanes, tape.pairs, args_.softmax, softmax_of());
    load_pairs(lanes, tape.pairs, args_.dsoftmax, dsoftmax_of());
    pair_dot(dsums, tape.slots, lanes.layout(), 1.0f, true, dsoftmax_of());
    pair_scatter(softmax_of(), dsums, lanes.layout(), 1.0f, args_.dslots);
    if (args_.given) {
      return store_pairs(lanes, tape.pairs, dsoftmax_of(), args_.dscores);
    }
    softmax_backward(softmax_of(), dsoftmax_of(), lanes.ragged(), dscores_of(),
                     false);
    store_pairs(lanes, tape.pairs, dscores_of(), args_.dscores);
    const MatrixView q = first(query_, lanes), dq = first(dquery_, lanes);
    load_rows(lanes, args_.query, q);
    std::fill_n(dq.data, dq.rows * dq.cols, 0.0f);
    additive_backward({.q = q, .k = tape.keys, .v = args_.weights.v},
                      lanes.layout(), dscores_of(),
                      {.dq = dq, .dk = args_.dkeys});
    store_rows(lanes, dq, args_.dquery);
  }

  const LstmnBackward& args_;
  const StepGroup& group_;
  int64_t width_, scored_;
  LaneMatrices lanes_;
  MatrixView dsums_, dproduct_, dh_, query_, dquery_, dkey_;
  int64_t numbers_;
  Scratch<float> pairs_;
};

void clear(MatrixView m) {
  for (int64_t i = 0; i < m.rows; ++i) std::fill_n(m.row(i), m.cols, 0.0f);
}

}  // namespace

void lstmn_forward(const LstmnForward& args) {
  assert(args.tape.slots.cols == 2 * args.states.cols);
  for_each_group({args.tape.of}, [&](const StepGroup& group) {
    ForwardGroup(args, group).run();
  });
}

void lstmn_backward(const LstmnBackward& args) {
  assert(args.tape.slots.cols == 2 * args.cells.cols);
  clear(args.dslots);
  clear(args.dkeys);
  for_each_group({args.tape.of}, [&](const StepGroup& group) {
    BackwardGroup(args, group).run();
  });
}

}  // namespace fovea::kernels
