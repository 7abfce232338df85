#pragma once

#include <string>
#include <vector>

#include "fovea/base/fields.h"

namespace fovea {

// Options of the parts of an attention, as texts "name=value". Each part has a
// config of its own and reads what is meant for it; what nobody has read is an
// error. So a new part needs no change anywhere else.
class Settings {
 public:
  explicit Settings(const std::vector<std::string>& texts);

  template <Config C>
  void read(C& config) {
    read_fields(fields_of(config));
  }
  // Throws if a setting is left, with the names that were possible.
  void check_all_read() const;

 private:
  struct Setting {
    std::string name, value;
    bool used = false;
  };
  void read_fields(const std::vector<Field>& fields);

  std::vector<Setting> settings_;
  std::vector<std::string> known_;
};

// Checks the bounds of an option: "window is 0: give at least 1".
void check_option(bool holds, const std::string& name, double value,
                  const std::string& remedy);

}  // namespace fovea
