#pragma once

#include <string>

#include "fovea/io/file_source.h"
#include "fovea/models/folder.h"

namespace fovea {

// What goes with a model besides its config and its weights.
constexpr const char* kTextFiles[] = {kSourceVocabulary, kTargetVocabulary,
                                      kLabelsFile};

// Makes a folder for a model made of others; one that holds a model is a usage
// error. Write config.yaml last: without it a folder is no model's.
void make_model_folder(const std::string& path);

// Copies those of them that there are, and the shortlist.
void copy_text_files(const FileSource& from, const std::string& to);

}  // namespace fovea
