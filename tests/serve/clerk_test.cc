#include "fovea/serve/clerk.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace fovea {
namespace {

class ClerkTest : public ::testing::Test {
 protected:
  // A thing of some steps, each of which is noted.
  void post(const std::string& client, const std::string& name, int steps) {
    clerk_.post(client, [this, name, steps, done = 0]() mutable {
      while (!open_) std::this_thread::yield();
      noted_.push_back(name);
      return ++done < steps;
    });
  }

  std::vector<std::string> noted() {
    open_ = true;
    clerk_.stop();
    return noted_;
  }

 private:
  std::atomic<bool> open_ = false;
  std::vector<std::string> noted_;
  Clerk clerk_;
};

TEST_F(ClerkTest, TakesTurnsByClientsAndByTheirThings) {
  post("first", "-", 1);  // holds it until all others are there
  post("a", "a1", 3);
  post("a", "a2", 2);
  post("b", "b", 3);
  using Names = std::vector<std::string>;
  EXPECT_EQ(noted(), (Names{"-", "a1", "b", "a2", "b", "a1", "b", "a2", "a1"}));
}

TEST_F(ClerkTest, DoesAllStepsBeforeItStops) {
  post("a", "a", 100);
  EXPECT_EQ(noted().size(), 100u);
}

}  // namespace
}  // namespace fovea
