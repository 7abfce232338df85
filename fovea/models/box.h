#pragma once

#include "fovea/io/file_source.h"

namespace fovea {

// The model that was put into this program when it was built: a folder of
// assets/ by tools/embed_assets. Nothing is read from the disk. A usage error
// if there is none.
FileSource model_in_the_box();
bool has_model_in_the_box();

// Stands for the model in the box where a folder is named. (A folder of that
// name is "./box".)
constexpr const char* kBoxName = "box";
FileSource model_files(const std::string& folder);

// Its files; written by tools/embed_assets.
std::span<const EmbeddedFile> boxed_files();

}  // namespace fovea
