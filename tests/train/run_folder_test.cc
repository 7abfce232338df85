#include "fovea/train/run_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fovea/base/check.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

class RunFolderTest : public ::testing::Test {
 protected:
  RunFolderTest() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = ::testing::TempDir() + "fovea_run_" + info->name();
    fs::remove_all(path_);
  }
  ~RunFolderTest() override { fs::remove_all(path_); }

  static CheckpointTensors tensors(float value) {
    return {.model = {{"w", Tensor::full({2, 3}, value)}},
            .optimizer = {{"w/0", Tensor::full({2, 3}, value + 1)}}};
  }
  static RunState at(int64_t step) {
    RunState state;
    state.step = step;
    state.running_loss = 1.0 / 3;
    state.place = {2, 1, 7};
    return state;
  }
  static void set_last(RunFolder& folder, int64_t step) {
    RunIndex index = folder.index();
    index.last = step;
    folder.set_index(index);
  }

  std::string path_;
};

TEST_F(RunFolderTest, GivesBackWhatWasSaved) {
  {
    RunFolder folder(path_, false);
    folder.save(at(5), tensors(0.1f));
    set_last(folder, 5);
  }
  const RunFolder folder(path_, false);
  ASSERT_EQ(folder.index().last, 5);
  const CheckpointTensors read = tensors(0);
  const RunState state = folder.load(5, read);
  EXPECT_EQ(state.step, 5);
  EXPECT_EQ(state.running_loss, 1.0 / 3);  // to the last bit
  EXPECT_EQ(state.place, (CorpusPlace{2, 1, 7}));
  EXPECT_EQ(read.model[0].value[4], 0.1f);
  EXPECT_EQ(read.optimizer[0].value[4], 1.1f);
}

TEST_F(RunFolderTest, ForgetsWhatTheIndexDoesNotName) {
  {
    RunFolder folder(path_, false);
    folder.save(at(5), tensors(1));
    set_last(folder, 5);
    folder.save(at(6), tensors(2));  // a crash before the index knows
    fs::create_directories(folder.checkpoint(7) + ".part");
  }
  const RunFolder folder(path_, false);
  EXPECT_TRUE(fs::exists(folder.checkpoint(5)));
  EXPECT_FALSE(fs::exists(folder.checkpoint(6)));
  EXPECT_FALSE(fs::exists(folder.checkpoint(7) + ".part"));
}

TEST_F(RunFolderTest, AveragesCheckpoints) {
  RunFolder folder(path_, false);
  folder.save(at(1), tensors(1));
  folder.save(at(2), tensors(4));
  const std::vector<std::string> both = {folder.checkpoint(1),
                                         folder.checkpoint(2)};
  const CheckpointTensors mean = tensors(0);
  average_checkpoints(both, mean.model);
  EXPECT_EQ(mean.model[0].value[0], 2.5f);
  // The mean of the same ones is the same.
  const std::vector<std::string> same(3, folder.checkpoint(2));
  average_checkpoints(same, mean.model);
  EXPECT_EQ(mean.model[0].value[0], 4.0f);
}

}  // namespace
}  // namespace fovea
