#include "fovea/models/average.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "fovea/base/check.h"
#include "fovea/io/text_file.h"
#include "fovea/models/checkpoint.h"
#include "fovea/models/folder.h"
#include "fovea/models/new_folder.h"
#include "fovea/tensor/allocator.h"

namespace fovea {
namespace {

// One of those of which the mean is taken.
struct Part {
  SafetensorsFile weights;
  std::optional<SafetensorsFile> optimizer = {};

  explicit Part(const FileSource& folder)
      : weights(folder.place(kWeightsFile)) {
    weights.verify();
    if (!folder.contains(kOptimizerFile)) return;
    optimizer.emplace(folder.place(kOptimizerFile)).verify();
  }

  Tensor view(const std::string& name) const {
    const std::string smoothed = name + kSmoothed;
    const bool smooth = optimizer && optimizer->contains(smoothed);
    return smooth ? optimizer->view(smoothed) : weights.view(name);
  }
};

// Adds up tensors of parts, of which one at a time is open.
class Sum {
 public:
  explicit Sum(const Part& first) : source_(first.weights.source()) {
    for (const TensorBytes& t : first.weights.tensors()) {
      check_data(t.type == "F32", source_, ": '", t.name, "' is ", t.type,
                 ", and only float32 has a mean; average first, then quantize");
      tensors_.push_back({t.name, first.weights.view(t.name).shape()});
      sums_.emplace_back(tensors_.back().shape.size());
      std::ranges::fill(sums_.back(), 0.0);
    }
  }

  void add(const Part& part) {
    const SafetensorsFile& file = part.weights;
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const auto& [name, shape] = tensors_[i];
      check_data(file.contains(name), file.source(), ": has no '", name,
                 "', as ", source_, " has");
      const TensorBytes& t = file.find(name);
      check_data(t.type == "F32" && file.view(name).shape() == shape,
                 file.source(), ": '", name, "' is ", t.type, " ",
                 shape_text(t), ", that of ", source_, " F32 ", shape);
      add(part.view(name), i, file.source());
    }
    check_count(file, tensors_.size());
    ++count_;
  }

  std::vector<NamedTensor> mean() const {
    std::vector<NamedTensor> all;
    for (size_t i = 0; i < tensors_.size(); ++i) {
      Tensor result(tensors_[i].shape);
      std::ranges::transform(sums_[i], result.data(), [this](double sum) {
        return static_cast<float>(sum / count_);
      });
      all.push_back({tensors_[i].name, result});
    }
    return all;
  }

 private:
  struct Named {
    std::string name;
    Shape shape;
  };

  void add(const Tensor& value, size_t i, const std::string& source) {
    check_data(value.shape() == tensors_[i].shape, source, ": '",
               tensors_[i].name, "' is ", tensors_[i].shape, ", smoothed ",
               value.shape());
    for (size_t j = 0; j < sums_[i].size(); ++j) {
      sums_[i][j] += value[static_cast<int64_t>(j)];
    }
  }

  std::string source_;
  std::vector<Named> tensors_;
  std::deque<Scratch<double>> sums_;  // in memory that training has left
  int count_ = 0;
};

// The folder with the config of a model or checkpoint.
std::string model_of(const std::string& part) {
  if (FileSource(part).contains(kConfigFile)) return part;
  const std::string run = part + "/../..";
  const bool checkpoint = FileSource(part).contains(kWeightsFile) &&
                          FileSource(run).contains(kConfigFile);
  check_data(checkpoint, part,
             ": is neither the folder of a model nor a checkpoint "
             "(RUN/checkpoints/step-N)");
  return run;
}

void check_same_text(const FileSource& a, const FileSource& b) {
  for (const char* name : kTextFiles) {
    check_data(a.contains(name) == b.contains(name) &&
                   (!a.contains(name) || a.text(name) == b.text(name)),
               b.place(name), ": differs from that of ", a.name(),
               ", so their parameters mean different things");
  }
}

}  // namespace

std::vector<NamedTensor> mean_of_folders(std::span<const std::string> folders) {
  check_usage(!folders.empty(), "there is nothing to take the mean of");
  Sum sum(Part{FileSource(folders.front())});
  for (const std::string& folder : folders) sum.add(Part{FileSource(folder)});
  return sum.mean();
}

void average_models(std::span<const std::string> parts, const std::string& to) {
  check_usage(!parts.empty(), "there is nothing to take the mean of");
  const FileSource first = model_of(parts.front());
  for (const std::string& part : parts) {
    check_same_text(first, model_of(part));
  }
  const std::vector<NamedTensor> mean = mean_of_folders(parts);
  const std::string config = read_config_text(first);
  make_model_folder(to);
  save_with_checksum(weights_file(to), mean);
  copy_text_files(first, to);
  replace_file(config_file(to), config);
}

}  // namespace fovea
