#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fovea/decode/search_watch.h"
#include "fovea/serve/batcher.h"
#include "fovea/serve/clerk.h"
#include "fovea/serve/models.h"
#include "fovea/serve/translate_call.h"

namespace fovea {

// Set when nobody waits for the answer any more.
using Cancelled = std::shared_ptr<std::atomic<bool>>;

// Who waits for work, and what becomes of it. One of done and failed is called,
// once, by any thread, unless the work is cancelled.
struct WorkOrder {
  Batcher& batcher;
  Clerk& clerk;
  TaskOwner owner;
  const CallLimits& limits;
  Cancelled cancelled;
  std::function<void(std::exception_ptr)> failed;
};

// A text in parts, each with its tokens.
struct TokenText {
  std::string text;
  std::vector<std::vector<Piece>> parts;
  std::vector<std::string> gaps;  // what stands before each part
};

struct TokenAmounts {
  int64_t sentences = 0, source = 0, target = 0;
};

// What a search comes to at most, as Task::tokens() counts: `length` being that
// of the source and the longest translation together.
int search_tokens(int width, int length);

// What is told of a translation.
struct TranslateEvents {
  using Found = std::vector<std::vector<Translation>>;  // of each text
  std::function<void(const Found&, const TokenAmounts&)> done;
  // If these are set there is one text: its parts come one after another, and
  // before it is done its tokens are told, then each step of the search.
  std::function<void(const TokenText&)> start = {};
  std::function<void(size_t part, const SearchStep&)> step = {};
};

// Cuts the texts of a call, the first one at once, others as the clerk's turns
// come, and queues all sentences. Texts, or their sentences if they are split,
// get what Translator::translate gives them, whoever they are batched with.
void queue_translation(const WorkOrder& order, const ModelRef& model,
                       const TranslateCall& call, TranslateEvents events);

// Work on many things, some at a time, by any threads.
struct Portions {
  std::vector<size_t> bytes = {};  // of each thing
  std::function<void(size_t begin, size_t end)> work = {};
  std::function<void()> done = {};
  bool are_sentences = false;  // that a model computes
};
void queue_portions(const WorkOrder& order, Portions portions);

// Queues pairs to be scored, some at a time.
void queue_scores(const WorkOrder& order, const ModelRef& model,
                  const PairsCall& call,
                  std::function<void(const std::vector<Translation>&)> done);

// Queues anything else.
void queue_function(const WorkOrder& order, std::function<void()> work);

}  // namespace fovea
