#include "fovea/io/safetensors.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <filesystem>

#include "fovea/base/check.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using testing::bytes_of;
using testing::TempFolder;

// A file made by hand: the header's length, the header and the data.
std::string file_of(const std::string& header, const std::string& data = "") {
  std::string file;
  for (int i = 0; i < 8; ++i) {
    file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  return file + header + data;
}

std::string complaint(const std::string& file) {
  try {
    read_safetensors_header(std::as_bytes(std::span(file.data(), file.size())),
                            "f");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    return error.what();
  }
  return "no error";
}

std::string complaint_about(const std::string& tensors, size_t bytes = 8) {
  return complaint(file_of("{" + tensors + "}", std::string(bytes, 'x')));
}

std::vector<float> values_of(const Tensor& tensor) {
  return {tensor.span().begin(), tensor.span().end()};
}

TEST(Safetensors, ReadsAFileMadeByHand) {
  const TempFolder folder;
  const std::string data("\x01\xff\x00\x00\x80\x3f\x00\x00\x20\xc0", 10);
  const SafetensorsFile file(folder.write(
      "a", file_of(R"({"b":{"dtype":"I8","shape":[2],"data_offsets":[0,2]},)"
                   R"("__metadata__":{"step":"7"},)"
                   R"("a":{"dtype":"F32","shape":[1,2],"data_offsets":[2,10]}})"
                   "   ",
                   data)));
  EXPECT_EQ(file.metadata(), (Metadata{{"step", "7"}}));
  ASSERT_EQ(file.tensors().size(), 2u);
  EXPECT_EQ(file.tensors()[0].name, "b") << "in the order of the bytes";
  EXPECT_EQ(file.find("b").type, "I8");
  EXPECT_EQ(file.find("b").bytes[1], std::byte{0xff});
  EXPECT_TRUE(file.contains("a"));
  EXPECT_FALSE(file.contains("c"));
  EXPECT_EQ(file.read("a").shape(), Shape({1, 2}));
  EXPECT_EQ(values_of(file.read("a")), (std::vector<float>{1, -2.5f}));
}

TEST(Safetensors, WritesTheseBytes) {
  const TempFolder folder;
  const std::vector<NamedTensor> tensors{{"w", Tensor::of({1, 2}, {1, -2.5f})},
                                         {"s", Tensor::of({}, {1})}};
  save_safetensors(folder.file("a"), tensors, {{"k", "v"}});
  const std::string header =
      R"({"__metadata__":{"k":"v"},)"
      R"("w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
      R"("s":{"dtype":"F32","shape":[],"data_offsets":[8,12]}})";
  const std::string spaces((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(bytes_of(folder.file("a")),
            file_of(header + spaces,
                    std::string("\0\0\x80\x3f\0\0\x20\xc0\0\0\x80\x3f", 12)));
}

TEST(Safetensors, PutsLargerElementsFirst) {
  const TempFolder folder;
  const std::string data("\1\2\3\4\5\6\7\1\2\3\4\5", 12);
  const auto bytes = std::as_bytes(std::span(data.data(), data.size()));
  const std::vector<TensorBytes> tensors{
      {"small", "I8", {3}, bytes.first(3)},
      {"float", "F32", {1}, bytes.first(4)},
      {"wide", "I64", {1, 1}, bytes.first(8)}};
  save_safetensors(folder.file("a"), tensors);
  const SafetensorsFile file(folder.file("a"));
  EXPECT_EQ(file.tensors()[0].name, "wide");
  EXPECT_EQ(file.tensors()[2].name, "small");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.find("wide").bytes.data()) % 8,
            0u);
  EXPECT_EQ(file.find("small").bytes[2], std::byte{3});
}

RC_GTEST_PROP(Safetensors, GivesBackWhatWasSaved,
              (const std::map<std::string, std::vector<float>>& tensors,
               const std::vector<uint16_t>& texts)) {
  const TempFolder folder;
  std::vector<NamedTensor> all;
  for (const auto& [name, values] : tensors) {
    all.push_back({join(all.size(), "/\"\\\n", name.size()),
                   Tensor::from({std::ssize(values), 1}, values)});
  }
  Metadata metadata;
  for (uint16_t text : texts) metadata[join("k", text)] = join("\t", text);
  save_safetensors(folder.file("a"), all, metadata);
  const SafetensorsFile file(folder.file("a"));
  RC_ASSERT(file.metadata() == metadata);
  RC_ASSERT(file.tensors().size() == all.size());
  for (const NamedTensor& tensor : all) {
    const Tensor read = file.read(tensor.name);
    RC_ASSERT(read.shape() == tensor.value.shape());
    RC_ASSERT(read.size() == 0 ||
              std::memcmp(read.data(), tensor.value.data(),
                          read.size() * sizeof(float)) == 0);
  }
}

TEST(Safetensors, RefusesABrokenHeader) {
  EXPECT_EQ(complaint(""), "f: is too short to be a safetensors file");
  EXPECT_EQ(complaint("1234567"), "f: is too short to be a safetensors file");
  EXPECT_EQ(complaint(std::string(8, '\xff')),
            "f: has a header of 18446744073709551615 bytes, but only 0 bytes "
            "behind its length");
  EXPECT_EQ(complaint(file_of("")), "f: has a header that is no JSON");
  EXPECT_EQ(complaint(file_of("{\"a\":")), "f: has a header that is no JSON");
  EXPECT_EQ(complaint(file_of("{}x")), "f: has a header that is no JSON");
  EXPECT_EQ(complaint(file_of("{\"\xff\":1}")),
            "f: has a header that is no JSON");
  EXPECT_EQ(complaint(file_of("[]")), "f: has a header that is no JSON object");
  EXPECT_EQ(complaint(file_of("{\"a\":{\"b\":{\"c\":{}}}}")),
            "f: nests its header too deep");
  EXPECT_EQ(complaint(file_of(std::string(100000, '['))),
            "f: nests its header too deep");
  EXPECT_EQ(complaint(file_of(R"({"__metadata__":{"a":1}})")),
            "f: __metadata__: 'a' is no text");
  EXPECT_EQ(complaint(file_of(R"({"__metadata__":[]})")),
            "f: __metadata__ is no JSON object");
  EXPECT_EQ(complaint(file_of("{}")), "no error");
}

TEST(Safetensors, RefusesTensorsThatCannotBe) {
  const auto tensor = [](const std::string& rest) {
    return "\"a\":{\"dtype\":\"F32\"," + rest + "}";
  };
  const std::string right = tensor(R"("shape":[2],"data_offsets":[0,8])");
  EXPECT_EQ(complaint_about(right), "no error");
  EXPECT_EQ(complaint_about("\"a\":1"), "f: tensor 'a' has no dtype");
  EXPECT_EQ(complaint_about(tensor(R"("shape":[2])")),
            "f: tensor 'a' has no data_offsets");
  EXPECT_EQ(complaint_about(R"("a":{"dtype":"Q5","shape":[],)"
                            R"("data_offsets":[0,8]})"),
            "f: tensor 'a' has the unknown type 'Q5'");
  for (const char* number : {"-1", "2.0", "\"2\"", "18446744073709551615"}) {
    EXPECT_EQ(complaint_about(tensor(
                  join("\"shape\":[", number, "],\"data_offsets\":[0,8]"))),
              "f: tensor 'a' has a size or offset that cannot be");
  }
  EXPECT_EQ(complaint_about(tensor(R"("shape":[2],"data_offsets":[0])")),
            "f: tensor 'a' needs two data_offsets");
  EXPECT_EQ(complaint_about(tensor(R"("shape":[2],"data_offsets":[8,0])")),
            "f: tensor 'a' has bytes 8 to 0 of 8");
  EXPECT_EQ(complaint_about(tensor(R"("shape":[2],"data_offsets":[0,9])")),
            "f: tensor 'a' has bytes 0 to 9 of 8");
  for (const char* shape : {"[]", "[3]", "[0]", "[4294967296,4294967296,2]",
                            "[0,4294967296,4294967296]"}) {
    EXPECT_EQ(complaint_about(
                  tensor(join("\"shape\":", shape, ",\"data_offsets\":[0,8]"))),
              "f: tensor 'a' has 8 bytes, which its shape and type do not give")
        << shape;
  }
}

TEST(Safetensors, RefusesOverlapsHolesAndNamesGivenTwice) {
  const auto bytes = [](const std::string& name, int begin, int end) {
    return join("\"", name, "\":{\"dtype\":\"I8\",\"shape\":[", end - begin,
                "],\"data_offsets\":[", begin, ",", end, "]}");
  };
  EXPECT_EQ(complaint_about(bytes("a", 0, 3) + "," + bytes("b", 3, 8)),
            "no error");
  EXPECT_EQ(complaint_about(bytes("b", 3, 8) + "," + bytes("a", 0, 3)),
            "no error");
  EXPECT_EQ(complaint_about(bytes("a", 0, 0) + "," + bytes("b", 0, 8)),
            "no error");
  EXPECT_EQ(complaint_about(bytes("a", 0, 4) + "," + bytes("b", 3, 8)),
            "f: tensor 'b' overlaps another");
  EXPECT_EQ(complaint_about(bytes("a", 0, 8) + "," + bytes("b", 0, 8)),
            "f: tensor 'b' overlaps another");
  EXPECT_EQ(complaint_about(bytes("a", 1, 8)),
            "f: has bytes in front of tensor 'a' that belong to none");
  EXPECT_EQ(complaint_about(bytes("a", 0, 7)),
            "f: has bytes at its end that belong to no tensor");
  EXPECT_EQ(complaint_about(bytes("a", 0, 8) + "," + bytes("a", 0, 8)),
            "f: has 'a' twice");
  EXPECT_EQ(complaint_about(R"("a":{"dtype":"I8","dtype":"I8","shape":[8],)"
                            R"("data_offsets":[0,8]})"),
            "f: has 'dtype' twice");
}

TEST(Safetensors, NamesWhatIsNotThere) {
  const TempFolder folder;
  EXPECT_THROW(SafetensorsFile(folder.file("none")), Error);
  EXPECT_THROW(SafetensorsFile(folder.path()), Error);
  EXPECT_THROW(SafetensorsFile("/dev/null"), Error);
  EXPECT_THROW(SafetensorsFile(folder.write("empty", "")), Error);
  const std::string byte("x");
  const std::vector<TensorBytes> tensors{
      {"encoder.weight", "I8", {1}, std::as_bytes(std::span(byte))},
      {"deep", "F32", {1, 1, 0, 1, 1}, {}}};
  save_safetensors(folder.file("a"), tensors);
  const SafetensorsFile file(folder.file("a"));
  const auto reading = [&](const std::string& name) -> std::string {
    try {
      file.read(name);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData);
      return std::string(error.what()).substr(folder.path().size());
    }
    return "no error";
  };
  EXPECT_EQ(reading("encoder.wieght"),
            "/a: has no tensor 'encoder.wieght' (did you mean "
            "'encoder.weight'?)");
  EXPECT_EQ(reading("encoder.weight"),
            "/a: tensor 'encoder.weight' has elements of type I8, not F32");
  EXPECT_EQ(reading("deep"), "/a: tensor 'deep' has 5 axes, more than 4");
}

TEST(Safetensors, RefusesToSaveWhatCouldNotBeReadBack) {
  const TempFolder folder;
  const Tensor one = Tensor::zeros({1});
  const auto save = [&](const std::vector<NamedTensor>& tensors,
                        const Metadata& metadata = {}) {
    save_safetensors(folder.file("a"), tensors, metadata);
  };
  EXPECT_THROW(save({{"a", one}, {"a", one}}), Error);
  EXPECT_THROW(save({{"__metadata__", one}}), Error);
  EXPECT_THROW(save({{"\xff", one}}), Error);
  EXPECT_THROW(save({{"a", Tensor()}}), Error);
  EXPECT_THROW(save({}, {{"k", "\xff"}}), Error);
  const std::vector<TensorBytes> short_one{{"a", "F32", {1}, {}}};
  EXPECT_THROW(save_safetensors(folder.file("a"), short_one), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Safetensors, AViewIsTheFilesMemoryAndOutlivesIt) {
  const TempFolder folder;
  save_safetensors(folder.file("a"),
                   std::vector<NamedTensor>{{"w", Tensor::of({2}, {1, 2})}});
  Tensor view;
  {
    const SafetensorsFile file(folder.file("a"));
    view = file.view("w");
    EXPECT_EQ(static_cast<const void*>(view.data()),
              file.find("w").bytes.data());
  }
  EXPECT_EQ(view[1], 2);
}

TEST(Safetensors, AViewOfAnOddPlaceIsACopy) {
  std::string header =
      R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  while (header.size() % 4 != 1) header += ' ';
  const std::string text = file_of(header, std::string("\0\0\x80\x3f", 4));
  const SafetensorsFile file(
      {.bytes = std::as_bytes(std::span(text.data(), text.size()))}, "f");
  EXPECT_EQ(file.view("a")[0], 1);
}

TEST(Safetensors, AChecksumFindsEveryFlippedBit) {
  const TempFolder folder;
  const std::vector<NamedTensor> tensors{{"w", Tensor::of({3}, {1, 2, 3})},
                                         {"v", Tensor::of({1, 1}, {-1})}};
  save_with_checksum(folder.file("a"), tensors);
  const std::string file = bytes_of(folder.file("a"));
  EXPECT_NO_THROW(SafetensorsFile(folder.file("a")).verify());
  for (size_t bit = 8 * (file.size() - 16); bit < 8 * file.size(); ++bit) {
    std::string flipped = file;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    const SafetensorsFile damaged(
        {.bytes = std::as_bytes(std::span(flipped.data(), flipped.size()))},
        "f");
    EXPECT_THROW(damaged.verify(), Error) << bit;
  }
}

}  // namespace
}  // namespace fovea
