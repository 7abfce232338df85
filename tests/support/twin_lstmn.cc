#include "support/twin_lstmn.h"

#include <cmath>
#include <numeric>

#include "support/twin_softmax.h"

namespace fovea::testing {
namespace {

double sigma(double x) { return 1 / (1 + std::exp(-x)); }

// Row `r` of m [.., v.size()] times v.
double dot(const Doubles& m, size_t r, const Doubles& v) {
  return std::inner_product(v.begin(), v.end(), m.begin() + r * v.size(), 0.0);
}

Doubles row(const Doubles& m, int r, int cols) {
  return {m.begin() + r * cols, m.begin() + (r + 1) * cols};
}

struct Slot {
  Doubles h, c;
};

// The inputs by name; an empty one is not there.
struct Named {
  Doubles x, w, u, b, key, query, summary, v, added, softmax;
};

Named named(const TwinLstmn& t, const std::vector<Doubles>& inputs) {
  Named n;
  size_t at = 0;
  for (Doubles* d : {&n.x, &n.w, &n.u, &n.b}) *d = inputs.at(at++);
  if (!t.given) {
    n.key = inputs.at(at++);
    n.query = inputs.at(at++);
    if (t.summary) n.summary = inputs.at(at++);
    n.v = inputs.at(at++);
  }
  if (t.added) n.added = inputs.at(at++);
  if (t.given) n.softmax = inputs.at(at++);
  return n;
}

Doubles scores(const TwinLstmn& t, const Named& in, const Doubles& x,
               const std::vector<Slot>& tape, const Doubles& summary) {
  Doubles all;
  for (const Slot& slot : tape) {
    double score = 0;
    for (int a = 0; a < t.scored; ++a) {
      double sum = dot(in.key, a, slot.h) + dot(in.query, a, x);
      if (t.summary) sum += dot(in.summary, a, summary);
      score += in.v[a] * std::tanh(sum);
    }
    all.push_back(score);
  }
  return all;
}

Slot summed(const std::vector<Slot>& tape, const Doubles& weights, int width) {
  Slot sum{Doubles(width), Doubles(width)};
  for (size_t i = 0; i < tape.size(); ++i) {
    for (int k = 0; k < width; ++k) {
      sum.h[k] += weights[i] * tape[i].h[k];
      sum.c[k] += weights[i] * tape[i].c[k];
    }
  }
  return sum;
}

Slot lstm_step(const TwinLstmn& t, const Named& in, const Doubles& x,
               const Slot& from, int token) {
  const int d = t.width;
  Doubles gate(4 * d);
  for (int i = 0; i < 4 * d; ++i) {
    gate[i] = in.b[i] + dot(in.w, i, x) + dot(in.u, i, from.h);
    gate[i] = i < 3 * d ? sigma(gate[i]) : std::tanh(gate[i]);
  }
  Slot out{Doubles(d), Doubles(d)};
  for (int k = 0; k < d; ++k) {
    out.c[k] = gate[d + k] * from.c[k] + gate[k] * gate[3 * d + k];
    if (t.added) out.c[k] += in.added[token * d + k];
    out.h[k] = gate[2 * d + k] * std::tanh(out.c[k]);
  }
  return out;
}

void append(const Doubles& from, Doubles& to) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

int TwinLstmn::tokens() const {
  return std::accumulate(lengths.begin(), lengths.end(), 0);
}

int TwinLstmn::pairs() const {
  int sum = 0;
  for (int n : lengths) sum += n * (n + 1) / 2;
  return sum;
}

std::vector<std::vector<int64_t>> TwinLstmn::shapes() const {
  std::vector<std::vector<int64_t>> all = {
      {tokens(), in}, {4 * width, in}, {4 * width, width}, {4 * width}};
  if (!given) {
    all.push_back({scored, width});
    all.push_back({scored, in});
    if (summary) all.push_back({scored, width});
    all.push_back({scored});
  }
  if (added) all.push_back({tokens(), width});
  if (given) all.push_back({pairs()});
  return all;
}

Doubles TwinLstmn::forward(const std::vector<Doubles>& inputs) const {
  const Named n = named(*this, inputs);
  Doubles states, cells, softmax;
  int token = 0;
  for (int length : lengths) {
    std::vector<Slot> tape{{Doubles(width), Doubles(width)}};
    Doubles before(width);  // h~ of the step before
    for (int i = 0; i < length; ++i, ++token) {
      const Doubles x = row(n.x, token, in);
      const int slots = static_cast<int>(tape.size());
      const auto given_at = n.softmax.begin() + (given ? softmax.size() : 0);
      const Doubles weights =
          given ? Doubles(given_at, given_at + slots)
                : twin_softmax(scores(*this, n, x, tape, before), {slots});
      const Slot sum = summed(tape, weights, width);
      tape.push_back(lstm_step(*this, n, x, sum, token));
      before = sum.h;
      append(tape.back().h, states);
      append(tape.back().c, cells);
      append(weights, softmax);
    }
  }
  append(cells, states);
  append(softmax, states);
  return states;
}

}  // namespace fovea::testing
