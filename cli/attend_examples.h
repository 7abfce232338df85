#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/attend_lab.h"

namespace fovea::cli {

// What an example is asked for besides its config.
struct ExampleRequest {
  ComposedConfig config;
  std::string query;  // by name; empty: the example's own
  int64_t seed = 1;
  LabView view;
};

struct Example {
  const char* name;
  const char* summary;
  ComposedConfig (*config)();  // with which it starts; flags change it
  void (*run)(const ExampleRequest& request);
};

std::span<const Example> examples();

// The example "variance".
void show_variance(const ExampleRequest& request);

// Where a query of this name or number stands; a usage error if nowhere.
int find_query(const NamedRows& queries, const std::string& name);

}  // namespace fovea::cli
