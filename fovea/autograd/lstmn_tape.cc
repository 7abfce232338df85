// LSTMN step by step.
#include <algorithm>
#include <vector>

#include "fovea/autograd/lstmn_net.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

void copy_rows(const Tensor& from, int64_t begin, int64_t count,
               const Tensor& to, int64_t at) {
  to.row_range(at, at + count).copy_from(from.row_range(begin, begin + count));
}

// The slots of `from`, each sequence in the place that `rows` gives it.
LstmnTape moved(const LstmnTape& from, std::span<const int> sequences,
                const Rows& rows) {
  const int64_t total = total_capacity(rows);
  const auto count = static_cast<int64_t>(sequences.size());
  LstmnTape to{Tensor({total, from.slots.cols()}),
               Tensor({total, from.keys.cols()}),
               Tensor({count, from.summary.cols()}), rows};
  for (int64_t i = 0; i < count; ++i) {
    const RowRange& old = from.rows[sequences[i]];
    copy_rows(from.slots, old.start, old.length, to.slots, rows[i].start);
    copy_rows(from.keys, old.start, old.length, to.keys, rows[i].start);
    copy_rows(from.summary, sequences[i], 1, to.summary, i);
  }
  return to;
}

void grow(LstmnTape& tape, const Segments& added) {
  std::vector<int> all, counts;
  for (int b = 0; b < added.count(); ++b) {
    all.push_back(b);
    counts.push_back(added.length(b));
  }
  Rows rows = tape.rows;
  if (make_room(rows, counts)) tape = moved(tape, all, rows);
}

}  // namespace

LstmnTape empty_lstmn_tape(int sequences, int64_t width, int64_t scored) {
  LstmnTape tape{Tensor::zeros({sequences, 2 * width}),
                 Tensor::zeros({sequences, scored}),
                 Tensor::zeros({sequences, width}),
                 {}};
  for (int b = 0; b < sequences; ++b) tape.rows.push_back({b, 1, 1});
  return tape;
}

LstmnTape LstmnTape::select(std::span<const int> sequences) const {
  Rows chosen;
  int total = 0;
  for (int b : sequences) {
    check(b >= 0 && b < std::ssize(rows), "lstmn: sequence ", b, " of ",
          rows.size());
    chosen.push_back({total, rows[b].length, rows[b].capacity});
    total += rows[b].capacity;
  }
  return moved(*this, sequences, chosen);
}

LstmnStates lstmn(LstmnTape& tape, const LstmnInput& in,
                  const LstmnWeights& w) {
  std::vector<Var> inputs;
  internal::Net net(in, w, inputs);
  check(!net.cell.recorded,
        "lstmn: a tape does not go on while a graph is recorded; open a NoGrad "
        "scope");
  check(w.key && tape.keys.cols() == net.scored, "lstmn: a tape for scores of ",
        tape.keys.cols(), ", but weights of ", net.scored);
  net.keyed = true;  // for the rows to come
  check(in.of.count() == std::ssize(tape.rows), "lstmn: ", in.of.count(),
        " sequences for a tape of ", tape.rows.size());
  grow(tape, in.of);
  const internal::LstmnRun run(net, in, tape, w.packed);
  for (int b = 0; b < in.of.count(); ++b) {
    const int length = in.of.length(b);
    if (length == 0) continue;
    tape.rows[b].length += length;
    const int64_t last = in.of.end(b) - 1, d = net.cell.width;
    std::copy_n(run.sums.data() + 2 * d * last, d, tape.summary.data() + b * d);
  }
  return internal::lstmn_states(net, run.pairs, run.all);
}

}  // namespace fovea
