#include "fovea/kernels/conv2d_direct.h"

#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "fovea/tensor/allocator.h"

namespace fovea::kernels {
namespace {

using dnnl::memory;
using Arguments = std::unordered_map<int, memory>;
using Tag = memory::format_tag;

const dnnl::engine& cpu() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

memory::desc floats(const memory::dims& dims, Tag tag) {
  return {dims, memory::data_type::f32, tag};
}

// oneDNN names sizes in the order of NCHW; the tag says how they lie.
struct Descriptions {
  memory::desc x, y, weight;
  memory::desc any_weight;  // as the library likes it
  memory::dims stride, pad_low, pad_high;

  explicit Descriptions(const Conv2d& c)
      : stride{c.stride, c.stride}, pad_low{c.pad_height, c.pad_width} {
    const memory::dims weights = {c.filters, c.channels, c.kernel_height,
                                  c.kernel_width};
    x = floats({c.batch, c.channels, c.height, c.width}, Tag::nhwc);
    y = floats({c.batch, c.filters, c.out_height(), c.out_width()}, Tag::nhwc);
    weight = floats(weights, Tag::ohwi);
    any_weight = floats(weights, Tag::any);
    // The last rows and columns that a stride does not reach are left out.
    pad_high = {(c.out_height() - 1) * c.stride + c.kernel_height - c.height -
                    c.pad_height,
                (c.out_width() - 1) * c.stride + c.kernel_width - c.width -
                    c.pad_width};
  }
};

dnnl::primitive_attr own_scratch() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

memory at(const memory::desc& description, const void* data) {
  return {description, cpu(), const_cast<void*>(data)};
}

// Runs a primitive with scratch memory of ours and waits for it.
template <class Primitive, class Description>
void run(const Description& description, Arguments arguments) {
  const memory::desc scratch_desc = description.scratchpad_desc();
  const Scratch<char> scratch(scratch_desc.get_size());
  arguments.insert({DNNL_ARG_SCRATCHPAD, at(scratch_desc, scratch.data())});
  dnnl::stream stream(cpu());
  Primitive(description).execute(stream, arguments);
  stream.wait();
}

void reorder(const memory& from, const memory& to) {
  const dnnl::reorder::primitive_desc description(from, to, own_scratch());
  run<dnnl::reorder>(description, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

dnnl::convolution_forward::primitive_desc forward(const Descriptions& d) {
  return {dnnl::convolution_forward::desc(dnnl::prop_kind::forward_training,
                                          dnnl::algorithm::convolution_direct,
                                          d.x, d.any_weight, d.y, d.stride,
                                          d.pad_low, d.pad_high),
          own_scratch(), cpu()};
}

}  // namespace

bool conv2d_is_direct(const Conv2d& conv) {
#if defined(FOVEA_OWN_GEMM_ONLY)
  constexpr bool kAllowed = false;
#else
  constexpr bool kAllowed = true;
#endif
  return kAllowed && conv.batch > 0 && conv.channels < 64 &&
         conv.kernel_height * conv.kernel_width > 1;
}

void conv2d_direct(const Conv2d& conv, std::span<const float> x,
                   std::span<const float> weight, std::span<float> y) {
  const Descriptions d(conv);
  const auto description = forward(d);
  const Scratch<char> packed(description.weights_desc().get_size());
  const memory weights = at(description.weights_desc(), packed.data());
  reorder(at(d.weight, weight.data()), weights);
  run<dnnl::convolution_forward>(description,
                                 {{DNNL_ARG_SRC, at(d.x, x.data())},
                                  {DNNL_ARG_WEIGHTS, weights},
                                  {DNNL_ARG_DST, at(d.y, y.data())}});
}

void conv2d_direct_backward_input(const Conv2d& conv, std::span<const float> dy,
                                  std::span<const float> weight,
                                  std::span<float> dx) {
  const Descriptions d(conv);
  const dnnl::convolution_backward_data::primitive_desc description(
      dnnl::convolution_backward_data::desc(dnnl::algorithm::convolution_direct,
                                            d.x, d.any_weight, d.y, d.stride,
                                            d.pad_low, d.pad_high),
      own_scratch(), cpu(), forward(d));
  const Scratch<char> packed(description.weights_desc().get_size());
  const memory weights = at(description.weights_desc(), packed.data());
  reorder(at(d.weight, weight.data()), weights);
  run<dnnl::convolution_backward_data>(
      description, {{DNNL_ARG_DIFF_DST, at(d.y, dy.data())},
                    {DNNL_ARG_WEIGHTS, weights},
                    {DNNL_ARG_DIFF_SRC, at(d.x, dx.data())}});
}

void conv2d_direct_backward_weight(const Conv2d& conv, std::span<const float> x,
                                   std::span<const float> dy,
                                   std::span<float> dweight) {
  const Descriptions d(conv);
  const dnnl::convolution_backward_weights::primitive_desc description(
      dnnl::convolution_backward_weights::desc(
          dnnl::algorithm::convolution_direct, d.x, d.any_weight, d.y, d.stride,
          d.pad_low, d.pad_high),
      own_scratch(), cpu(), forward(d));
  const Scratch<char> packed(description.diff_weights_desc().get_size());
  const memory weights = at(description.diff_weights_desc(), packed.data());
  run<dnnl::convolution_backward_weights>(
      description, {{DNNL_ARG_SRC, at(d.x, x.data())},
                    {DNNL_ARG_DIFF_DST, at(d.y, dy.data())},
                    {DNNL_ARG_DIFF_WEIGHTS, weights}});
  reorder(weights, at(d.weight, dweight.data()));
}

}  // namespace fovea::kernels
