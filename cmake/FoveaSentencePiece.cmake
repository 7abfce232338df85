# SentencePiece as the target SentencePiece::SentencePiece, with its trainer;
# Debian's package has no CMake file. Installed with the package, for its users.
if(NOT TARGET SentencePiece::SentencePiece)
  find_path(SENTENCEPIECE_INCLUDE_DIR sentencepiece_trainer.h REQUIRED)
  find_library(SENTENCEPIECE_LIBRARY sentencepiece REQUIRED)
  find_library(SENTENCEPIECE_TRAIN_LIBRARY sentencepiece_train REQUIRED)
  add_library(SentencePiece::SentencePiece UNKNOWN IMPORTED)
  set_target_properties(
    SentencePiece::SentencePiece
    PROPERTIES IMPORTED_LOCATION "${SENTENCEPIECE_TRAIN_LIBRARY}"
               INTERFACE_LINK_LIBRARIES "${SENTENCEPIECE_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${SENTENCEPIECE_INCLUDE_DIR}")
endif()
