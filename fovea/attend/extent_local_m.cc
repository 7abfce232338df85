#include "fovea/attend/extent_local_m.h"

#include <algorithm>

namespace fovea {
namespace {

struct LocalMConfig {
  int window = 10;
  void fields(auto&& field) {
    field("window", window, "keys on each side of the query's position");
  }
};

class LocalMExtent : public Extent {
 public:
  explicit LocalMExtent(int window) : window_(window) {}

  Var narrow(const Var&, std::vector<Pairs::Row>& rows) const override {
    for (Pairs::Row& row : rows) {
      narrow_row(row, std::min(row.position, row.keys - 1), window_);
    }
    return {};
  }

  // The kernel's window moves on with each row of a span, so that rows behind
  // the last key need spans of their own.
  std::optional<Window> fused(
      std::vector<AttentionSpan>& spans) const override {
    std::vector<AttentionSpan> split;
    for (const AttentionSpan& s : spans) {
      const int inside = s.keys == 0
                             ? s.queries
                             : std::clamp(s.keys - s.position, 0, s.queries);
      if (inside > 0 || s.queries == 0) {
        split.push_back({s.query, inside, s.key, s.keys, s.position});
      }
      for (int i = inside; i < s.queries; ++i) {
        split.push_back({s.query + i, 1, s.key, s.keys, s.keys - 1});
      }
    }
    spans = std::move(split);
    return Window{window_, window_};
  }

 private:
  int window_;
};

}  // namespace

std::unique_ptr<Extent> make_local_m_extent(const PartContext& context) {
  LocalMConfig config;
  context.settings.read(config);
  check_window(config.window);
  return std::make_unique<LocalMExtent>(config.window);
}

}  // namespace fovea
