#include "fovea/models/average.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/io/text_file.h"
#include "fovea/models/checkpoint.h"
#include "fovea/models/folder.h"
#include "fovea/models/new_folder.h"

namespace fovea {
namespace {

// The tensors of one file, added up.
void add_to(std::span<double> sums, const Tensor& tensor) {
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] += tensor[static_cast<int64_t>(i)];
  }
}

Tensor mean(const std::vector<SafetensorsFile>& files,
            const std::string& name) {
  Tensor result(files.front().view(name).shape());
  std::vector<double> sums(result.size());
  for (const SafetensorsFile& file : files) add_to(sums, file.view(name));
  const auto count = static_cast<double>(files.size());
  std::ranges::transform(sums, result.data(), [=](double sum) {
    return static_cast<float>(sum / count);
  });
  return result;
}

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

std::vector<NamedTensor> mean_of_files(std::span<const std::string> paths) {
  check_usage(!paths.empty(), "there is nothing to take the mean of");
  std::vector<SafetensorsFile> files;
  for (const std::string& path : paths) files.emplace_back(path).verify();
  const SafetensorsFile& first = files.front();
  for (const SafetensorsFile& file : files) {
    for (const TensorBytes& t : first.tensors()) {
      check_data(t.type == "F32", first.source(), ": '", t.name, "' is ",
                 t.type, ", and only float32 has a mean; average first, then ",
                 "quantize");
      check_data(file.contains(t.name), file.source(), ": has no '", t.name,
                 "', as ", first.source(), " has");
      const TensorBytes& other = file.find(t.name);
      check_data(other.shape == t.shape && other.type == t.type, file.source(),
                 ": '", t.name, "' is ", other.type, " ", shape_text(other),
                 ", that of ", first.source(), " ", t.type, " ", shape_text(t));
    }
    check_count(file, first.tensors().size());
  }
  std::vector<NamedTensor> all;
  for (const TensorBytes& t : first.tensors()) {
    all.push_back({t.name, mean(files, t.name)});
  }
  return all;
}

void average_models(std::span<const std::string> parts, const std::string& to) {
  check_usage(!parts.empty(), "there is nothing to take the mean of");
  const FileSource first = model_of(parts.front());
  std::vector<std::string> files;
  for (const std::string& part : parts) {
    check_same_text(first, model_of(part));
    files.push_back(weights_file(part));
  }
  const std::vector<NamedTensor> mean = mean_of_files(files);
  const std::string config = read_config_text(first);
  make_model_folder(to);
  save_with_checksum(weights_file(to), mean);
  copy_text_files(first, to);
  replace_file(config_file(to), config);
}

}  // namespace fovea
