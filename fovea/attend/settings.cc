#include "fovea/attend/settings.h"

#include "fovea/base/check.h"
#include "fovea/base/nearest.h"

namespace fovea {

Settings::Settings(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    check_usage(equals != std::string::npos && equals > 0, "'", text,
                "' is no option of an attention: write name=value");
    const std::string name = text.substr(0, equals);
    for (const Setting& other : settings_) {
      check_usage(other.name != name, "the option '", name, "' is given twice");
    }
    settings_.push_back({name, text.substr(equals + 1)});
  }
}

void Settings::read_fields(const std::vector<Field>& fields) {
  for (const Field& field : fields) {
    known_.push_back(field.name);
    for (Setting& setting : settings_) {
      if (setting.name != field.name) continue;
      setting.used = true;
      const Field::Texts texts = {setting.value};
      check_usage(field.set(texts), setting.name, ": ",
                  bad_value(field, texts));
    }
  }
}

void Settings::check_all_read() const {
  for (const Setting& setting : settings_) {
    if (setting.used) continue;
    std::string names;
    for (const std::string& name : known_) {
      names += (names.empty() ? "" : ", ") + name;
    }
    fail(ErrorKind::kUsage, "no part of this attention has an option '",
         setting.name, "'", did_you_mean(setting.name, known_),
         names.empty() ? "; it has none" : "; there are: ", names);
  }
}

void check_option(bool holds, const std::string& name, double value,
                  const std::string& remedy) {
  check_usage(holds, name, " is ", value, ": ", remedy);
}

}  // namespace fovea
