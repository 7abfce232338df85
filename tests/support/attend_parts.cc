#include "support/attend_parts.h"

#include "fovea/attend/settings.h"
#include "support/check_op.h"
#include "support/random.h"

namespace fovea::testing {
namespace {

// For a normaliser, which asks nothing of a score but its kind.
class SomeScore : public Score {
 public:
  explicit SomeScore(ScoreKind kind) : kind_(kind) {}
  ScoreKind kind() const override { return kind_; }

 private:
  ScoreKind kind_;
};

}  // namespace

std::unique_ptr<Normaliser> normaliser_part(const std::string& name,
                                            std::vector<std::string> options,
                                            ScoreKind kind) {
  const ComposedConfig config{.normaliser = name};
  const AttentionSizes sizes;
  Settings settings(options);
  const PartContext context{.config = config,
                            .sizes = sizes,
                            .score = {},
                            .value_size = 1,
                            .settings = settings,
                            .key = RandomKey{1}};
  auto part = make_normaliser(context, SomeScore(kind));
  settings.check_all_read();
  return part;
}

std::unique_ptr<Select> select_part(const std::string& name,
                                    std::vector<std::string> options,
                                    int width) {
  const ComposedConfig config{.select = name};
  const AttentionSizes sizes{width, width, width, width, width};
  Settings settings(options);
  auto part = make_select({.config = config,
                           .sizes = sizes,
                           .score = {1, 1, width, width},
                           .value_size = width,
                           .settings = settings,
                           .key = RandomKey{1}});
  settings.check_all_read();
  return part;
}

Pairs rows_of_keys(const std::vector<int>& keys) {
  std::vector<Pairs::Row> rows;
  for (int count : keys) rows.push_back({.key = 0, .keys = count});
  return {std::move(rows), 1, 1};
}

std::vector<float> weights_of_row(const Normaliser& normaliser,
                                  const std::vector<float>& scores) {
  const auto count = static_cast<int>(scores.size());
  const Tensor x = Tensor::zeros({count});
  std::copy(scores.begin(), scores.end(), x.data());
  const Tensor y = normaliser.weights(x, rows_of_keys({count})).value();
  return {y.span().begin(), y.span().end()};
}

void check_normaliser(const Normaliser& normaliser,
                      const std::function<Doubles(const Doubles&)>& twin_row) {
  const std::vector<int> keys = {3, 0, 1, 9, 20};
  const Pairs pairs = rows_of_keys(keys);
  check_op([&](const auto& in) { return normaliser.weights(in[0], pairs); },
           [&](const auto& in) {
             Doubles y;
             auto begin = in[0].begin();
             for (int count : keys) {
               const Doubles row = twin_row(Doubles(begin, begin + count));
               y.insert(y.end(), row.begin(), row.end());
               begin += count;
             }
             return y;
           },
           {random_tensor({pairs.size()}, 5)});
}

}  // namespace fovea::testing
