#pragma once

#include "fovea/data/draws.h"
#include "fovea/data/synthetic.h"

// The tasks behind make_synthetic that need a file of their own.
namespace fovea {

// Days from 1950 to 2049 in seven languages, with or without weekday, by name
// or in numbers. What is written tells the day: numbers with points, blanks or
// dashes begin with the day, those with slashes with the month, and years of
// two digits lie between 1950 and 2049.
SyntheticPair make_date(Draws draws);

// Sentences whose noun phrases have up to two adjectives. "the european
// economic area" becomes "la zone économique européenne". To hit somebody "with
// a pie" is one word, so that several words have one translation.
SyntheticPair make_reordered(Draws draws);

// Who did what to whom: "the cat was chased by the old dog" becomes "dog chased
// cat".
SyntheticPair make_roles(Draws draws);

}  // namespace fovea
