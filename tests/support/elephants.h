#pragma once

#include <string>
#include <vector>

namespace fovea::testing {

// The corpus of SPEC F3: an output and two references.
inline const std::vector<std::string> kElephantsOutput = {
    "A herd of elephants crosses the dry field.",
    "Two kids throw a frisbee, 3.5 m away!", "It is 10-20 km to town."};
inline const std::vector<std::string> kElephantsA = {
    "A herd of elephants walks across the dry field.",
    "Two children throw a frisbee 3.5 m away.", "It is 10-20 km to the town."};
inline const std::vector<std::string> kElephantsB = {
    "Elephants cross a dry field in a herd.",
    "Two kids are throwing a frisbee, 3.5 m away!",
    "The town is 10-20 km away."};

}  // namespace fovea::testing
