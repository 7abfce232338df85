#include "fovea/attend/score_exact.h"

#include <algorithm>
#include <limits>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

enum class Ties { kMean, kFirst };
constexpr EnumName<Ties> kTies[] = {{Ties::kMean, "mean"},
                                    {Ties::kFirst, "first"}};
constexpr auto& enum_names(Ties) { return kTies; }

struct ExactConfig {
  Ties ties = Ties::kMean;
  void fields(auto&& field) {
    field("ties", ties, "equal keys share the weight, or the first has it");
  }
};

class ExactScore : public Score {
 public:
  explicit ExactScore(Ties ties) : first_only_(ties == Ties::kFirst) {}
  bool projects() const override { return true; }
  Var score(const Var& q, const Var& k, const Pairs& pairs,
            const Var&) const override {
    Tensor s({pairs.size()});
    parallel_for(pairs.rows(), 16, [&](int64_t begin, int64_t end) {
      for (int64_t m = begin; m < end; ++m) {
        for (int h = 0; h < pairs.heads(); ++h) {
          compare(q.value(), k.value(), pairs, m, h,
                  s.data() + pairs.begin(m, h));
        }
      }
    });
    return s;
  }

 private:
  // The scores of one row and head.
  void compare(const Tensor& q, const Tensor& k, const Pairs& pairs, int64_t m,
               int head, float* s) const {
    const int64_t size = q.cols() / pairs.heads();
    const int key_head = head / (pairs.heads() / pairs.key_heads());
    const float* query = q.data() + m * q.cols() + head * size;
    bool found = false;
    for (int j = 0; j < pairs.row(m).keys; ++j) {
      const float* key =
          k.data() + (pairs.row(m).key + j) * k.cols() + key_head * size;
      const bool hit =
          !(found && first_only_) && std::equal(query, query + size, key);
      found = found || hit;
      s[j] = hit ? 0.0f : kHidden;
    }
  }

  bool first_only_;
};

}  // namespace

std::unique_ptr<Score> make_exact_score(const PartContext& context) {
  ExactConfig config;
  context.settings.read(config);
  check_usage(config.ties == Ties::kMean || !context.config.exclude_self,
              "ties=first and exclude-self do not go together: the first may "
              "be the query itself");
  const int heads = context.score.heads, key_heads = context.score.key_heads;
  const int query = context.sizes.query, key = context.sizes.key;
  check_usage(query % heads == 0 && key % key_heads == 0 &&
                  query / heads == key / key_heads,
              "score exact and a query width of ", query,
              " with a key width of ", key,
              " do not go together: heads of queries and keys must have one "
              "size");
  return std::make_unique<ExactScore>(config.ties);
}

}  // namespace fovea
