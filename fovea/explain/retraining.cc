#include "fovea/explain/retraining.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/explain/retrainer.h"
#include "fovea/io/text_file.h"

namespace fovea {
namespace {

using Job = RetrainingJob;

constexpr int64_t kFirstSeed = 1000;
constexpr const char* kUniform = "uniform";
constexpr const char* kTokensUniform = "token-wise, uniform";
constexpr const char* kTokensLearned = "token-wise, learned";
constexpr const char* kTokensFrozen = "token-wise, this model's";
constexpr const char* kTokensAdversary = "token-wise, an adversary's";

std::vector<Job> jobs_of(const RetrainingConfig& config) {
  std::vector<Job> jobs;
  for (int i = 1; i <= config.seeds; ++i) {  // not that of a first training
    jobs.push_back({.name = join("seed ", i), .seed = kFirstSeed + i});
  }
  jobs.push_back({.name = kUniform, .weights = WeightSource::kUniform});
  jobs.push_back({.name = kTokensUniform,
                  .weights = WeightSource::kUniform,
                  .tokenwise = true});
  jobs.push_back({.name = kTokensLearned, .tokenwise = true});
  jobs.push_back({.name = kTokensFrozen,
                  .weights = WeightSource::kModel,
                  .tokenwise = true});
  for (const double lambda : config.lambdas) {
    jobs.push_back(
        {.name = join("adversary, lambda ", lambda), .lambda = lambda});
  }
  return jobs;
}

double mean(const std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Of a trained model there is one.
struct Outcome {
  Job job;
  std::unique_ptr<Classifier> model;
  RetrainedModel result;
};

// Runs all jobs, each by one thread.
class Runner {
 public:
  Runner(const Retrainer& retrainer, const RetrainingProgress& progress)
      : retrainer_(retrainer), progress_(progress) {}

  // The last job is not known when the first ones begin, but its epochs count.
  void expect(const Job& job) { all_ += retrainer_.epochs(job); }

  std::vector<Outcome> run(const std::vector<Job>& jobs) {
    std::vector<Outcome> outcomes(jobs.size());
    parallel_tasks(std::ssize(jobs), [&](int64_t i, int) {
      const ThreadLimit one(1);  // products of matrices depend on threads
      auto model = retrainer_.train(jobs[i], [&] {
        const std::lock_guard lock(mutex_);
        ++done_;
        if (progress_) progress_(done_, all_);
      });
      RetrainedModel result = retrainer_.judge(*model, jobs[i]);
      outcomes[i] = {jobs[i], std::move(model), std::move(result)};
    });
    return outcomes;
  }

 private:
  const Retrainer& retrainer_;
  const RetrainingProgress& progress_;
  std::mutex mutex_;
  int64_t done_ = 0, all_ = 0;
};

// The adversary with the most different weights whose output is the same, or
// else the one whose output is nearest.
const Outcome* best_adversary(const std::vector<Outcome>& outcomes,
                              double threshold) {
  const Outcome* best = nullptr;
  for (const Outcome& o : outcomes) {
    if (o.job.lambda <= 0) continue;
    const auto worth = [&](const Outcome& x) {
      const bool same = x.result.distance <= threshold;
      return same ? 1 + mean(x.result.js) : -x.result.distance;
    };
    if (!best || worth(o) > worth(*best)) best = &o;
  }
  return best;
}

void fill_in(FaithfulnessSummary& s, const std::vector<Outcome>& outcomes) {
  std::vector<double> accuracies, js;
  for (const auto& [job, model, result] : outcomes) {
    if (job.name == kUniform) s.uniform = result.accuracy;
    if (job.name == kTokensUniform) s.tokens_uniform = result.accuracy;
    if (job.name == kTokensLearned) s.tokens_learned = result.accuracy;
    if (job.name == kTokensFrozen) s.tokens_frozen = result.accuracy;
    if (job.name == kTokensAdversary) s.tokens_adversary = result.accuracy;
    if (job.lambda >= 0) {
      s.lambdas.push_back(job.lambda);
      s.trained_distance.push_back(result.distance);
      s.trained_js.push_back(mean(result.js));
    }
    if (job.name.starts_with("seed ")) {
      accuracies.push_back(result.accuracy);
      js.push_back(mean(result.js));
    }
  }
  s.again = mean(accuracies);
  s.seed_js = mean(js);
}

}  // namespace

void check_retraining(const RetrainingConfig& c) {
  check_usage(c.seeds >= 1, "--seeds ", c.seeds, ": give at least 1");
  check_usage(c.epochs >= 1, "--epochs ", c.epochs, ": give at least 1");
  check_usage(c.adversary_epochs >= 0, "--adversary-epochs ",
              c.adversary_epochs, ": give at least 0");
  check_usage(c.lr > 0, "--lr ", c.lr, ": give a number above 0");
  check_usage(c.batch_tokens >= 1, "--batch-tokens ", c.batch_tokens,
              ": give at least 1");
  for (const double lambda : c.lambdas) {
    check_usage(lambda >= 0, "--lambdas ", lambda, ": give numbers from 0 on");
  }
  // A pipe can be opened once only.
  std::error_code none;
  if (!std::filesystem::is_fifo(c.train, none)) LineReader{c.train};
}

std::vector<RetrainedModel> retrain(const ClassifierModel& model,
                                    std::span<const TestText> texts,
                                    const RetrainingConfig& config,
                                    const RetrainingProgress& progress,
                                    FaithfulnessSummary& summary) {
  check_retraining(config);
  const Retrainer retrainer(model, texts, config);
  Runner runner(retrainer, progress);
  const std::vector<Job> jobs = jobs_of(config);
  for (const Job& job : jobs) runner.expect(job);
  Job last{.name = kTokensAdversary,
           .weights = WeightSource::kAdversary,
           .tokenwise = true};
  const bool has_adversary = std::ranges::any_of(
      config.lambdas, [](double lambda) { return lambda > 0; });
  if (has_adversary) runner.expect(last);
  std::vector<Outcome> outcomes = runner.run(jobs);
  if (const Outcome* best = best_adversary(outcomes, summary.threshold)) {
    last.adversary = best->model.get();
    std::vector<Outcome> more = runner.run({last});
    outcomes.push_back(std::move(more.front()));
  }
  fill_in(summary, outcomes);
  std::vector<RetrainedModel> results;
  for (Outcome& o : outcomes) results.push_back(std::move(o.result));
  return results;
}

}  // namespace fovea
