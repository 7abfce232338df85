// Sentences to begin with, in the languages that models read.

const kSentences: Record<string, string[]> = {
  en: [
    "A black cat is sleeping on my bed.",
    "They live in a big house near the sea.",
    "She gave me the book that she bought yesterday.",
    "I don't know what you are talking about.",
  ],
  de: [
    "Die kleine Katze schl\u00e4ft auf meinem Bett.",
    "Sie hat mir gestern ein rotes Buch gegeben.",
    "Ich wei\u00df nicht, wovon du sprichst.",
  ],
  fr: [
    "Le petit chat dort sur mon lit.",
    "Elle m'a donn\u00e9 le livre qu'elle a achet\u00e9 hier.",
    "Je ne sais pas de quoi tu parles.",
  ],
};

/** None of a language that is not known here; of none at all, English ones. */
export function examplesOf(language: string | null): string[] {
  return kSentences[language ?? "en"] ?? [];
}
