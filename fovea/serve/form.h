#pragma once

#include <map>
#include <string>
#include <string_view>

#include "fovea/serve/http.h"
#include "fovea/serve/json_fields.h"

namespace fovea {

// "a+b%20c" as text. What is no escape stays as it is.
std::string url_decoded(std::string_view text);

// The fields of a request: those of its body, be it JSON,
// application/x-www-form-urlencoded or multipart/form-data, and those behind
// the ? of its address where the body has none of that name. A form has texts
// only; a field that comes several times is a list.
Json read_form(const HttpRequest& request);

// One text of it, or nothing; whatever the request is.
std::string form_field(const HttpRequest& request, const std::string& name);

}  // namespace fovea
