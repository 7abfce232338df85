#include "fovea/encode/identity.h"

namespace fovea {
namespace {

class IdentityEncoder : public Encoder {
 public:
  explicit IdentityEncoder(int width) : width_(width) {}

  Encoded operator()(const Var& x, const Segments& of,
                     const Pass&) const override {
    return {.states = x, .of = of, .embedded = x};
  }
  int width() const override { return width_; }
  void params(Params&) override {}

 private:
  int width_;
};

}  // namespace

std::unique_ptr<Encoder> make_identity_encoder(const EncoderConfig&, int in,
                                               RandomKey) {
  return std::make_unique<IdentityEncoder>(in);
}

}  // namespace fovea
