#pragma once

#include <string>
#include <string_view>

namespace fovea::testing {

// What is wrong with the XML, or nothing: tags must nest, attributes be quoted,
// "&" begin one of the five entities, and no control character occur. No full
// parser, but enough to catch a label that broke out of its place.
std::string xml_fault(std::string_view xml);

}  // namespace fovea::testing
