#pragma once

#include <memory>
#include <span>
#include <string>

#include "fovea/attend/composed.h"
#include "fovea/attend/encoded.h"
#include "fovea/attend/pooling.h"

namespace fovea {

// The rows of each sequence as one. Running changes nothing, so threads may
// share one.
class Pool {
 public:
  virtual ~Pool() = default;
  virtual Var operator()(const Encoded& source, const Pass& pass) const = 0;
  virtual int width() const = 0;  // of the rows that it gives, [B,width]
  virtual void params(Params&) {}
};

// What a pool may look at when it is made.
struct PoolContext {
  const PoolingConfig& pooling;  // of the pool "attention"
  const ComposedConfig& attend;  // of the pool "query"
  const EncodedWidths& widths;   // of what it is given
  RandomKey key;
};

struct PoolEntry {
  const char* name;
  const char* help;
  std::unique_ptr<Pool> (*make)(const PoolContext& context);
};
std::span<const PoolEntry> pool_registry();

// An unknown name is an error that tells the nearest.
std::unique_ptr<Pool> make_pool(const std::string& name,
                                const PoolContext& context);

}  // namespace fovea
