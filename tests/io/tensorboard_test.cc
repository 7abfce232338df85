#include "fovea/io/tensorboard.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/temp_folder.h"

namespace fovea {
namespace {

using testing::bytes_of;
using testing::TempFolder;

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

void add(TensorBoardLog& log, int64_t step) {
  const std::vector<Scalar> scalars{{"loss/train", 1.5f}};
  log.add(step, 1e9, scalars);
}

// The bytes were read with TensorBoard 2.21, which checks the checksums.
TEST(TensorBoardLog, WritesRecordsThatTensorBoardReads) {
  const TempFolder folder;
  TensorBoardLog log(folder.file("events.out.tfevents.test"));
  add(log, 300);
  EXPECT_EQ(
      bytes_of(folder.file("events.out.tfevents.test")),
      from_hex("1a00000000000000"                        // length
               "129bd82d"                                // its checksum
               "090000000065cdcd41"                      // 1e9 seconds
               "1000"                                    // step 0
               "1a0d627261696e2e4576656e743a32"          // brain.Event:2
               "fa9ca432"                                // checksum
               "2100000000000000"                        // length
               "017becf6"                                // its checksum
               "090000000065cdcd41"                      // 1e9 seconds
               "10ac02"                                  // step 300
               "2a13"                                    // summary
               "0a110a0a6c6f73732f747261696e150000c03f"  // loss/train = 1.5
               "6dc65fcf"));
}

TEST(TensorBoardLog, GoesOnWhereItWasCut) {
  const TempFolder folder;
  const std::string straight = folder.file("straight"),
                    cut = folder.file("cut");
  {
    TensorBoardLog log(straight);
    for (int step = 1; step <= 4; ++step) add(log, step);
  }
  int64_t known = 0;
  {
    TensorBoardLog log(cut);
    add(log, 1);
    known = log.size();
    add(log, 2);
    add(log, 99);
  }
  TensorBoardLog log(cut);
  EXPECT_FALSE(log.cut_to_bytes(1000000));
  EXPECT_TRUE(log.cut_to_bytes(known));
  for (int step = 2; step <= 4; ++step) add(log, step);
  EXPECT_EQ(bytes_of(cut), bytes_of(straight));
}

TEST(TensorBoardLog, BeginsAnewWhenCutToNothing) {
  const TempFolder folder;
  TensorBoardLog log(folder.file("a"));
  add(log, 1);
  const std::string first = bytes_of(folder.file("a"));
  EXPECT_TRUE(log.cut_to_bytes(0));
  add(log, 1);
  EXPECT_EQ(bytes_of(folder.file("a")), first);
}

}  // namespace
}  // namespace fovea
