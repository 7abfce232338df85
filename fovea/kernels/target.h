#pragma once

#include <string>
#include <vector>

namespace fovea::kernels {

// The instruction sets that our own kernels are compiled for and this CPU can
// run, best first ("AVX3" for AVX-512, "AVX2", "SSE4"). "AVX3+VNNI" and
// "AVX2+VNNI" are the same with products of bytes by VNNI.
std::vector<std::string> supported_targets();

// The one in use.
std::string current_target();

// Uses one of supported_targets() from now on, in all threads. For tests and
// for bug reports; not while kernels run.
void use_target(const std::string& name);

// Whether the target in use sums products of bytes by VNNI.
bool use_vnni();

}  // namespace fovea::kernels
