#include "cli/help_format.h"

namespace fovea::cli {
namespace {

class HelpFormat : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option,
                               bool is_positional) const override {
    if (is_positional || option->get_fnames().empty()) {
      return Formatter::make_option_name(option, is_positional);
    }
    return "--[no-]" + option->get_lnames().front();
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_format() {
  return std::make_shared<HelpFormat>();
}

}  // namespace fovea::cli
