// fovea demo: translates with the model in the box and shows where it looks.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "fovea/base/terminal.h"
#include "fovea/base/unicode.h"
#include "fovea/base/words.h"
#include "fovea/explain/explain_text.h"
#include "fovea/explain/faithfulness_summary.h"
#include "fovea/explain/render_terminal.h"
#include "fovea/explain/view.h"
#include "fovea/models/box.h"

namespace fovea::cli {
namespace {

const std::vector<std::string> kSentences = {
    "A black cat is sleeping on my bed.",
    "I have never seen such a beautiful house.",
    "Why did you sell your red car?",
};

constexpr const char* kNext = R"(What to try next:
  fovea demo "Your own sentence."
  echo "Your own sentence." | fovea translate --n-best 5 --alignment hard
  echo "Your own sentence." | fovea explain --html page.html
                                   every layer and head, in your browser
  fovea serve                      the same, live, on http://127.0.0.1:8080
  fovea spell your own words       watch a model learn, from nothing
  fovea attend --list              every attention mechanism, to play with
  fovea train --help               a model of your own text
)";

class Demo {
 public:
  void show(const std::string& line) const {
    const std::string text = mend_utf8(line);
    if (is_blank(text)) return;
    const Explanation e =
        explain_text(translator_, {.source = text}, explained_);
    std::cout << "  " << text << "\n  -> " << e.target.text << "\n\n";
    std::cout << render_terminal(source_map(e, {.marks = Marks::kHide}),
                                 TerminalOptions::standard_output())
              << "\n"
              << std::flush;
  }

 private:
  Translator translator_ = Translator::load({kBoxName});
  ExplainOptions explained_ = {
      .name = kBoxName,
      .faithfulness = load_faithfulness(model_files(kBoxName))};
};

// What the user types, up to a blank line.
void ask(const Demo& demo) {
  while (true) {
    std::cout << "Your sentence, or nothing to end: " << std::flush;
    std::string line;
    if (!std::getline(std::cin, line)) std::cout << "\n";
    if (is_blank(line)) return;
    std::cout << "\n";
    demo.show(line);
  }
}

}  // namespace

Run demo(CLI::App& app) {
  auto sentences = std::make_shared<std::vector<std::string>>();
  app.add_option("SENTENCE", *sentences,
                 "English sentences to translate into French\n"
                 "(default: some, then those that you type)")
      ->type_name("");
  return [=] {
    const Demo demo;
    std::cout << "The model in the box translates English into French. The "
                 "maps show where it looks:\na row for each word that it "
                 "writes.\n\n";
    for (const auto& s : sentences->empty() ? kSentences : *sentences) {
      demo.show(s);
    }
    if (sentences->empty() && stdin_is_terminal()) ask(demo);
    std::cout << kNext;
  };
}

}  // namespace fovea::cli
