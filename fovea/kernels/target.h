#pragma once

#include <string>
#include <vector>

namespace fovea::kernels {

// The instruction sets that our own kernels are compiled for and this CPU can
// run, best first ("AVX2", "SSE4"). "AVX2+AVX512_VNNI" and "AVX2+AVX_VNNI" are
// AVX2 with products of bytes by VNNI.
std::vector<std::string> supported_targets();

// The one in use.
std::string current_target();

// Uses one of supported_targets() from now on, in all threads. For tests and
// for bug reports; not while kernels run.
void use_target(const std::string& name);

// How the target in use sums products of bytes.
enum class ByteDots { kPlain, kAvxVnni, kAvx512Vnni };
ByteDots byte_dots();

}  // namespace fovea::kernels
