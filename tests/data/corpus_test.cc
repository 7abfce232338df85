#include "fovea/data/corpus.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fovea/data/batch_stream.h"

namespace fovea {
namespace {}  // namespace
}  // namespace fovea
