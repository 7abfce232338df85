#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fovea {

// Rows of numbers, each with a label or none of them.
struct NumberTable {
  std::vector<std::string> labels = {};  // of each row, or empty
  std::vector<float> values = {};        // [rows, columns]
  int64_t rows = 0, columns = 0;
};

// Cells between commas, or between tabs if the first line has one. A first cell
// that is no number is the row's label; "quotes" keep separators in it. Empty
// lines and lines that begin with # are left out. Rows of different lengths,
// cells that are no finite number, and labels on some rows only are data errors
// that name `source` and the line.
NumberTable read_number_table(const std::string& text,
                              const std::string& source);
NumberTable load_number_table(const std::string& path);

// The vectors of these words from a file of lines "word 0.1 -0.2 ...", whose
// first line may tell how many words and columns follow, as word2vec and
// fastText write them. The file is read once and only these words are kept. A
// word that is not in it is a data error.
NumberTable load_word_vectors(const std::string& path,
                              const std::vector<std::string>& words);

}  // namespace fovea
