// fovea explain: what a model looks at, and whether that explains anything.
#include <memory>

#include "cli/command.h"
#include "cli/explain_views.h"
#include "cli/flags.h"
#include "fovea/base/check.h"
#include "fovea/models/box.h"

namespace fovea::cli {

Run explain(CLI::App& app) {
  auto flags = std::make_shared<ExplainFlags>();
  auto folder = std::make_shared<std::string>(kBoxName);
  app.add_option("MODEL", *folder,
                 "folder of a model (default: box, the model in the box)")
      ->type_name("");
  app.footer(
      "Standard input: a sentence to translate and to explain, or a sentence, "
      "a tab and\nits translation; for a classifier a text. One for each line, "
      "or just one if files\nare written.");
  auto config = std::make_shared<ConfigFlags>(app, fields_of(*flags));
  return [=] {
    config->resolve();
    if (!flags->test.data.empty()) {
      check_usage(flags->contrast.empty() && flags->beside.empty() &&
                      flags->csv.empty() && flags->from_word.empty(),
                  "--faithfulness has no view: leave out --csv, --contrast, "
                  "--from-word and --beside");
      return test_faithfulness(*folder, flags->test,
                               {.svg = flags->svg,
                                .png = flags->png,
                                .html = flags->html,
                                .theme = flags->theme});
    }
    check_usage(!flags->test.save && flags->test.evidence.empty() &&
                    flags->test.retraining.train.empty(),
                "--save, --evidence and --train are for --faithfulness FILE");
    show_views(*folder, *flags);
  };
}

}  // namespace fovea::cli
