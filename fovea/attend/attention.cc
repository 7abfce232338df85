#include "fovea/attend/attention.h"

#include <algorithm>

#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

// Rows of one matrix to places of another, or of the same.
void copy_rows(const Tensor& from, int64_t row, const Tensor& to, int64_t at,
               int64_t count) {
  const int64_t width = from.cols();
  std::copy_n(from.data() + row * width, count * width, to.data() + at * width);
}

// The rows of `x` at the places of `from`, in a matrix laid out by `to`; its
// spare rows hold anything.
Tensor moved(const Tensor& x, const Rows& from, const Rows& to) {
  const Tensor y({total_capacity(to), x.cols()});
  for (size_t b = 0; b < from.size(); ++b) {
    copy_rows(x, from[b].start, y, to[b].start, from[b].length);
  }
  return y;
}

void write(const Var& into, const Var& rows, const Rows& old,
           const Rows& added) {
  for (size_t b = 0; b < old.size(); ++b) {
    copy_rows(rows.value(), added[b].start, into.value(),
              old[b].start + old[b].length, added[b].length);
  }
}

bool share_rows(const Memory& memory) {
  return memory.values.value().data() == memory.keys.value().data();
}

void lay_out(Memory& memory, const Rows& from, const Rows& to) {
  const bool same = share_rows(memory);
  memory.keys = moved(memory.keys.value(), from, to);
  memory.values =
      same ? memory.keys : Var(moved(memory.values.value(), from, to));
  memory.rows = to;
}

void grow(Memory& memory, const Rows& added) {
  std::vector<int> counts;
  for (const RowRange& rows : added) counts.push_back(rows.length);
  Rows to = memory.rows;
  if (!make_room(to, counts)) return;
  lay_out(memory, memory.rows, to);
}

// Rows that must be in two places.
struct Copy {
  RowRange from, to;
};

// The rows of sequences that come first stay where they are, those of further
// ones go where others have left. False if there is too little room.
bool reuse_rows(const Rows& rows, std::span<const int> sequences, Rows& kept,
                std::vector<Copy>& copies) {
  std::vector<int> free;
  std::vector<bool> taken(rows.size());
  for (int b : sequences) taken[b] = true;
  for (size_t b = 0; b < rows.size(); ++b) {
    if (!taken[b]) free.push_back(static_cast<int>(b));
  }
  for (int b : sequences) {
    if (taken[b]) {
      taken[b] = false;
      kept.push_back(rows[b]);
      continue;
    }
    if (free.empty() || rows[free.back()].capacity < rows[b].length) {
      return false;
    }
    RowRange to = rows[free.back()];
    free.pop_back();
    to.length = rows[b].length;
    copies.push_back({rows[b], to});
    kept.push_back(to);
  }
  return true;
}

}  // namespace

Carry Carry::select(std::span<const int> sequences) const {
  if (!values) return {};
  std::vector<int> ids, lengths;
  for (int b : sequences) {
    check(b >= 0 && b < of.count(), "attend: the carry of sequence ", b, " of ",
          of.count());
    lengths.push_back(of.length(b));
    for (int i = of.begin(b); i < of.end(b); ++i) ids.push_back(i);
  }
  const Var column = reshape(values, {values.value().size(), 1});
  const Var chosen = gather(column, ids);
  return {reshape(chosen, {static_cast<int64_t>(ids.size())}),
          Segments::from_lengths(lengths)};
}

Attended Attention::self(const Var& x, const Segments& of,
                         const Pass& pass) const {
  const Memory memory = remember({.keys = x, .of = of}, pass);
  return attend({.rows = x, .of = of, .kind = "self"}, memory, {}, pass);
}

void keep_sequences(Memory& memory, std::span<const int> sequences) {
  check(memory.kept.empty() && !memory.extra,
        "attend: of a memory that keeps some keys only, none can be chosen");
  check(!recording({memory.keys, memory.values}),
        "attend: sequences of a memory are not chosen while a graph is "
        "recorded; open a NoGrad scope");
  Rows kept;
  std::vector<Copy> copies;
  if (reuse_rows(memory.rows, sequences, kept, copies)) {
    const bool same = share_rows(memory);
    for (const Copy& copy : copies) {
      const auto within = [&](const Tensor& x) {
        copy_rows(x, copy.from.start, x, copy.to.start, copy.from.length);
      };
      within(memory.keys.value());
      if (!same) within(memory.values.value());
    }
    memory.rows = std::move(kept);
    return;
  }
  Rows from, to;
  int start = 0;
  for (int b : sequences) {
    from.push_back(memory.rows[b]);
    to.push_back(memory.rows[b]);
    to.back().start = start;
    start += to.back().capacity;
  }
  lay_out(memory, from, to);
}

void append_rows(Memory& memory, const Memory& added) {
  check(memory.rows.size() == added.rows.size(), "attend: ", added.rows.size(),
        " new sequences for a memory of ", memory.rows.size());
  check(memory.kept.empty() && added.kept.empty(),
        "attend: a memory that keeps some keys only cannot grow");
  check(!recording({memory.keys, memory.values, added.keys, added.values}),
        "attend: a memory does not grow while a graph is recorded; open a "
        "NoGrad scope");
  if (share_rows(memory) && !share_rows(added)) {
    memory.values = memory.values.value().clone();
  }
  grow(memory, added.rows);
  write(memory.keys, added.keys, memory.rows, added.rows);
  if (!share_rows(memory))
    write(memory.values, added.values, memory.rows, added.rows);
  for (size_t b = 0; b < added.rows.size(); ++b) {
    memory.rows[b].length += added.rows[b].length;
  }
}

}  // namespace fovea
