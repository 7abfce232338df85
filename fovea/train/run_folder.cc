#include "fovea/train/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "fovea/base/check.h"
#include "fovea/io/yaml.h"
#include "fovea/models/average.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIndexFile = "state.yaml";
constexpr const char* kCheckpoints = "checkpoints";
constexpr const char* kModelFile = "model.safetensors";
// What a run writes besides; --overwrite removes these and nothing else.
constexpr const char* kOwnFiles[] = {
    kIndexFile,     kCheckpoints,    "config.yaml", "train.yaml",
    "source.vocab", "target.vocab",  "labels.txt",  kModelFile,
    "report.html",  "history.jsonl", "events",      "guided",
};
// Of these, what follows from text and options alone.
constexpr const char* kPrepared[] = {"source.vocab", "target.vocab",
                                     "labels.txt", "guided"};

FileHandle locked(const std::string& path) {
  const int descriptor =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  check(descriptor >= 0, path, ": ", std::strerror(errno));
  FileHandle handle(descriptor, path);
  check_usage(::flock(descriptor, LOCK_EX | LOCK_NB) == 0, path,
              ": another process trains in this folder");
  return handle;
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  check(!error, path, ": cannot make this folder: ", error.message());
}

void sync_folder(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY);
  check(descriptor >= 0, path, ": ", std::strerror(errno));
  FileHandle(descriptor, path).sync();
}

void copy_from_file(const std::string& path,
                    const std::vector<NamedTensor>& tensors) {
  const SafetensorsFile file(path);
  file.verify();
  for (const NamedTensor& t : tensors) {
    const Tensor value = file.view(t.name);
    check_data(value.shape() == t.value.shape(), path, ": '", t.name, "' is ",
               value.shape(), ", expected ", t.value.shape());
    t.value.copy_from(value);
  }
}

}  // namespace

RunFolder::RunFolder(const std::string& path, bool overwrite) : path_(path) {
  check_usage(
      overwrite || fs::exists(file(kIndexFile)) ||
          !fs::exists(file(kModelFile)),
      path, " holds a model, but no ", kIndexFile,
      " of the run that made it; use another --out, or --overwrite to replace "
      "the model");
  make_folder(path);
  lock_ = locked(file(".lock"));
  if (overwrite) {
    for (const char* name : kOwnFiles) fs::remove_all(file(name));
  }
  make_folder(file(kCheckpoints));
  if (fs::exists(file(kIndexFile))) {
    load_yaml(file(kIndexFile), fields_of(index_));
  }
  clean();
}

std::string RunFolder::checkpoint(int64_t step) const {
  return join(file(kCheckpoints), "/step-", step);
}

void RunFolder::set_index(const RunIndex& index) {
  RunIndex next = index;
  save_yaml(file(kIndexFile), fields_of(next));
  index_ = std::move(next);
}

void RunFolder::save(const RunState& state, const CheckpointTensors& tensors) {
  const std::string folder = checkpoint(state.step);
  RunState copy = state;
  if (state.step == index_.last) {
    save_yaml(folder + "/state.yaml", fields_of(copy));
    return;
  }
  const std::string part = folder + ".part";
  fs::remove_all(part);
  make_folder(part);
  try {
    save_with_checksum(part + "/model.safetensors", tensors.model);
    save_with_checksum(part + "/optimizer.safetensors", tensors.optimizer);
    save_yaml(part + "/state.yaml", fields_of(copy));
    sync_folder(part);
    fs::remove_all(folder);
    fs::rename(part, folder);
    sync_folder(file(kCheckpoints));
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(part, ignored);
    throw;
  }
}

RunState RunFolder::numbers(int64_t step) const {
  RunState state;
  load_yaml(checkpoint(step) + "/state.yaml", fields_of(state));
  return state;
}

RunState RunFolder::load(int64_t step, const CheckpointTensors& tensors) const {
  const std::string folder = checkpoint(step);
  const RunState state = numbers(step);
  copy_from_file(folder + "/model.safetensors", tensors.model);
  copy_from_file(folder + "/optimizer.safetensors", tensors.optimizer);
  return state;
}

void RunFolder::remove_prepared() const {
  for (const char* name : kPrepared) fs::remove_all(file(name));
}

void RunFolder::clean() const {
  for (const fs::directory_entry& entry :
       fs::directory_iterator(file(kCheckpoints))) {
    const std::string name = entry.path().filename().string();
    const auto is = [&](int64_t step) {
      return step >= 0 && name == join("step-", step);
    };
    const bool named = is(index_.last) || is(index_.best) ||
                       is(index_.steady) ||
                       std::any_of(index_.kept.begin(), index_.kept.end(), is);
    if (!named) fs::remove_all(entry.path());
  }
}

void average_checkpoints(std::span<const std::string> folders,
                         const std::vector<NamedTensor>& tensors) {
  std::map<std::string, Tensor> means;
  for (const NamedTensor& t : mean_of_folders(folders)) means[t.name] = t.value;
  for (const NamedTensor& t : tensors) {
    const Tensor& mean = means[t.name];
    check_data(mean.shape() == t.value.shape(), folders.front(), ": '", t.name,
               "' is ", mean.shape(), ", expected ", t.value.shape());
    t.value.copy_from(mean);
  }
}

}  // namespace fovea
