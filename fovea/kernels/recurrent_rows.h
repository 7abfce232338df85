#pragma once

#include <cstddef>

// One row of one step of a recurrent cell, as its SIMD loops see it: a gate
// vector holds parts of `width` one after another. Of an in and out value the
// loop reads and writes one element at a time.
namespace fovea::kernels {

struct LstmRow {
  const float* product;          // U h
  float* gates;                  // W x + b; then i, f, o, g if there is a cell
  float* c;                      // in and out
  float* h;                      // out
  float* state;                  // out, the same
  float* cell;                   // out, c for backward; or null
  const float* added = nullptr;  // to c, or null
};

struct LstmRowGradient {
  const float* cell;
  const float* cell_before;
  const float* dstate;      // what the users of the result sent back...
  const float* dh;          // ...and what the next step sent back
  float* dc;                // in and out
  float* gates;             // i, f, o, g; then their gradient
  float* dsum;              // out, the same
  float* dadded = nullptr;  // out, or null
};

void lstm_row_forward(const LstmRow& row, size_t width);
void lstm_row_backward(const LstmRowGradient& row, size_t width);

struct GruRow {
  float* product;     // U h, z and r; with reset before, z is left here
  float* product_n;   // U h or U (r * h), the candidate's part
  const float* bias;  // of product_n, with reset after
  float* gates;       // W x + b; then z, r, n if there is `inner`
  float* reset;       // out, r * h, with reset before
  float* h;           // in and out
  float* state;       // out, the same
  float* inner;       // out, for backward; or null
};

struct GruRowGradient {
  const float* before;  // h of the step before
  const float* dstate;  // what the users of the result sent back
  float* dh;            // what the next step sent back; then h's direct share
  float* gates;         // z, r, n; then their gradient
  float* inner;         // U h + b'; then its gradient, with reset after
  float* dsum;          // out, gradient of U h
  float* dn;            // out, gradient of U (r * h), with reset before
  const float* dreset;  // gradient of r * h, with reset before
};

}  // namespace fovea::kernels
