// A model's folder with damage of any kind, in memory: either it loads and
// gives scores and a translation, or one Error says in one line what is wrong.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/decode/search.h"
#include "fovea/decode/search_all.h"
#include "fovea/io/yaml.h"
#include "fovea/models/checkpoint.h"
#include "fovea/models/folder.h"

namespace {

using namespace fovea;

struct Files {
  std::string config, weights, vocabulary;
};

ModelConfig tiny_config(const Tokenizer& words) {
  ModelConfig c;
  c.embed.width = c.encode.width = c.predict.width = 8;
  c.encode.layers = c.predict.layers = 1;
  c.encode.heads = c.predict.heads = c.attend.heads = 2;
  c.encode.ffn = c.predict.ffn = 8;
  c.vocabulary = {.source = words.size(),
                  .target = words.size(),
                  .begin = words.begin(),
                  .end = words.end()};
  return c;
}

std::vector<int64_t> shape_of(const Tensor& t) {
  std::vector<int64_t> shape;
  for (int i = 0; i < t.shape().rank(); ++i) shape.push_back(t.dim(i));
  return shape;
}

// The weights without their checksum, which would hide all other checks: in 8
// bits as fovea quantize writes them, or as they are.
std::string weights_of(const Params& params, Precision precision) {
  std::vector<TensorBytes> tensors;
  std::vector<QuantizedWeight> quantized;
  quantized.reserve(params.weights().size());  // the tensors point into them
  std::set<std::string> done;
  for (const Params::Weight& w : params.weights()) {
    if (precision == Precision::kFloat32) break;
    const QuantizedWeight& q = quantized.emplace_back(w.matrix());
    tensors.push_back({w.name, "I8", shape_of(w.value->value()),
                       std::as_bytes(std::span(q.q))});
    tensors.push_back({w.name + ".scale",
                       "F32",
                       {std::ssize(q.scales)},
                       std::as_bytes(std::span(q.scales))});
    done.insert(w.name);
  }
  for (const NamedTensor& t : tensors_of(params)) {
    if (done.contains(t.name)) continue;
    tensors.push_back(
        {t.name, "F32", shape_of(t.value), std::as_bytes(t.value.span())});
  }
  std::string file = write_safetensors_header(tensors, {});
  for (const TensorBytes& t : tensors) {
    file.append(reinterpret_cast<const char*>(t.bytes.data()), t.bytes.size());
  }
  return file;
}

// Reads edits from the fuzzer's bytes.
class Edits {
 public:
  Edits(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  bool done() const { return at_ >= size_; }
  uint32_t number(int bytes) {
    uint32_t value = 0;
    for (int i = 0; i < bytes && !done(); ++i)
      value = value << 8 | data_[at_++];
    return value;
  }
  std::string text(size_t length) {
    length = std::min(length, size_ - std::min(at_, size_));
    const auto* begin = reinterpret_cast<const char*>(data_ + at_);
    at_ += length;
    return {begin, length};
  }

 private:
  const uint8_t* data_;
  size_t size_, at_ = 0;
};

// A value of the config becomes other text.
void edit_config(std::string& config, Edits& edits) {
  const uint32_t line = edits.number(1);
  size_t at = 0;
  for (uint32_t i = 0; i < line; ++i) at = config.find('\n', at + 1);
  const size_t colon = config.find(": ", std::min(at, config.size()));
  if (colon == std::string::npos) return;
  const size_t end =
      std::min(config.find_first_of(" \n", colon + 2), config.size());
  config.replace(colon + 2, end - colon - 2, edits.text(edits.number(1) % 12));
}

void edit(Files& files, Edits& edits) {
  const uint32_t kind = edits.number(1) % 5;
  std::string& file = kind == 2 ? files.vocabulary : files.weights;
  const size_t at = edits.number(2) % (file.size() + 1);
  switch (kind) {
    case 0:
      return edit_config(files.config, edits);
    case 1:
      file.resize(at);
      return;
    default: {
      const std::string text = edits.text(1 + edits.number(1) % 8);
      file.replace(at, text.size(), text);
    }
  }
}

void load_and_use(const Files& files) {
  const auto bytes = [](const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
  };
  const EmbeddedFile all[] = {{kConfigFile, bytes(files.config)},
                              {kWeightsFile, bytes(files.weights)},
                              {kSourceVocabulary, bytes(files.vocabulary)}};
  const TranslationModel m =
      load_translation_model(FileSource("fuzz", all), Precision::kInt8);
  const NoGrad none;
  const Ids source{{m.model->end()}, Segments::from_lengths(std::vector{1})};
  const Encoded encoded = m.model->encode(source, Pass{});
  m.model->readout(m.model->forced(encoded, source, Pass{}).hidden);
  // Whatever the weights, there is a translation.
  const Seq2Seq* const models[] = {m.model.get(), m.model.get()};
  const std::vector<std::vector<int>> texts{{m.model->end()}};
  const auto found =
      search(models, sources_of(texts), {.beam_size = 2, .max_length = 4});
  if (found.front().empty()) abort();
}

Files whole_files(Precision precision) {
  const Tokenizer words =
      Tokenizer::train({.unit = TextUnit::kWords},
                       [](const auto& give) { give("a cat sees a dog"); });
  FolderConfig config{.precision = precision, .model = tiny_config(words)};
  Seq2Seq model(config.model, RandomKey(1));
  Files files{write_yaml(fields_of(config)),
              weights_of(Params(model), precision), words.write()};
  load_and_use(files);  // or nothing behind the first check would be met
  return files;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Files whole[] = {whole_files(Precision::kFloat32),
                                whole_files(Precision::kInt8)};
  Edits edits(data, size);
  Files files = whole[edits.number(1) % 2];
  while (!edits.done()) edit(files, edits);
  try {
    load_and_use(files);
  } catch (const Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) abort();
  }
  return 0;
}
