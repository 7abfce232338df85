#include <chrono>
#include <span>
#include <string_view>

#include "fovea/data/synthetic_tasks.h"

namespace fovea {
namespace {

// %d day, %0 in two digits, %o and %e with an English or French ending; %m
// month, %1 in two digits, %M its name, %b the short one; %y year, %2 its last
// two digits; %W weekday, %w the short one.
struct Language {
  const char* months[12];
  const char* short_months[12];
  const char* weekdays[7];  // from Sunday
  const char* short_weekdays[7];
  std::string_view patterns[6];
};

constexpr Language kLanguages[] = {
    {{"january", "february", "march", "april", "may", "june", "july", "august",
      "september", "october", "november", "december"},
     {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct",
      "nov", "dec"},
     {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday",
      "saturday"},
     {"sun", "mon", "tue", "wed", "thu", "fri", "sat"},
     {"%M %d %y", "%W %M %d %y", "%W, %M %o, %y", "the %o of %M %y",
      "%b %d, '%2", "%w %d %b %y"}},
    {{"januar", "februar", "märz", "april", "mai", "juni", "juli", "august",
      "september", "oktober", "november", "dezember"},
     {"jan.", "feb.", "märz", "apr.", "mai", "juni", "juli", "aug.", "sept.",
      "okt.", "nov.", "dez."},
     {"sonntag", "montag", "dienstag", "mittwoch", "donnerstag", "freitag",
      "samstag"},
     {"so.", "mo.", "di.", "mi.", "do.", "fr.", "sa."},
     {"%d. %M %y", "%W, %d. %M %y", "%W, den %d. %M %y", "%w %d %1 %y",
      "%d. %b %y", "%w, %0.%1.%2"}},
    {{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août",
      "septembre", "octobre", "novembre", "décembre"},
     {"janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.",
      "oct.", "nov.", "déc."},
     {"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"},
     {"dim.", "lun.", "mar.", "mer.", "jeu.", "ven.", "sam."},
     {"%e %M %y", "le %e %M %y", "%W %e %M %y", "%w %e %b %y", "%e %b %y",
      "le %W %e %M %y"}},
    {{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto",
      "septiembre", "octubre", "noviembre", "diciembre"},
     {"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct",
      "nov", "dic"},
     {"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"},
     {"dom", "lun", "mar", "mié", "jue", "vie", "sáb"},
     {"%d de %M de %y", "%W, %d de %M de %y", "%W %d de %M de %y",
      "%d de %b de %y", "el %d de %M de %y", "%w %d de %M de %y"}},
    {{"gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio",
      "agosto", "settembre", "ottobre", "novembre", "dicembre"},
     {"gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott",
      "nov", "dic"},
     {"domenica", "lunedì", "martedì", "mercoledì", "giovedì", "venerdì",
      "sabato"},
     {"dom", "lun", "mar", "mer", "gio", "ven", "sab"},
     {"%d %M %y", "%W %d %M %y", "il %d %M %y", "%w %d %b %y", "%d %b %y",
      "%W, %d %M %y"}},
    {{"januari", "februari", "maart", "april", "mei", "juni", "juli",
      "augustus", "september", "oktober", "november", "december"},
     {"jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt",
      "nov", "dec"},
     {"zondag", "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag",
      "zaterdag"},
     {"zo", "ma", "di", "wo", "do", "vr", "za"},
     {"%d %M %y", "%W %d %M %y", "op %d %M %y", "%w %d %b %y", "%d %b '%2",
      "%W, %d %M %y"}},
    {{"janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho",
      "agosto", "setembro", "outubro", "novembro", "dezembro"},
     {"jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out",
      "nov", "dez"},
     {"domingo", "segunda-feira", "terça-feira", "quarta-feira", "quinta-feira",
      "sexta-feira", "sábado"},
     {"dom", "seg", "ter", "qua", "qui", "sex", "sáb"},
     {"%d de %M de %y", "%W, %d de %M de %y", "%d %b %y", "em %d de %M de %y",
      "%w, %d de %b de %y", "%W %d de %M de %y"}},
};

constexpr std::string_view kNumeric[] = {
    "%d.%m.%y", "%0.%1.%y", "%0.%1.%2", "%d %1 %y", "%0 %1 %y", "%d-%m-%y",
    "%0-%1-%y", "%m/%d/%y", "%1/%0/%y", "%1/%0/%2", "%y-%1-%0", "%y/%m/%d",
};

struct Day {
  int year = 0, month = 0, day = 0;  // month and day from 1
  int weekday = 0;                   // from 0, Sunday
};

Day random_day(Draws& draws) {
  using std::chrono::sys_days;
  const sys_days first = std::chrono::January / 1 / 1950;
  const sys_days end = std::chrono::January / 1 / 2050;
  const std::chrono::days later(
      draws.below(static_cast<int>((end - first).count())));
  const std::chrono::year_month_day date(first + later);
  return {static_cast<int>(date.year()),
          static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day())),
          static_cast<int>(std::chrono::weekday(first + later).c_encoding())};
}

std::string two_digits(int number) {
  return {static_cast<char>('0' + number / 10 % 10),
          static_cast<char>('0' + number % 10)};
}

std::string ordinal(int day) {
  const bool teen = day / 10 == 1;
  const char* ending = day % 10 == 1   ? "st"
                       : day % 10 == 2 ? "nd"
                       : day % 10 == 3 ? "rd"
                                       : "th";
  return std::to_string(day) + (teen ? "th" : ending);
}

std::string part_of(char code, const Day& day, const Language& language) {
  switch (code) {
    case 'd':
      return std::to_string(day.day);
    case '0':
      return two_digits(day.day);
    case 'o':
      return ordinal(day.day);
    case 'e':
      return std::to_string(day.day) + (day.day == 1 ? "er" : "");
    case 'm':
      return std::to_string(day.month);
    case '1':
      return two_digits(day.month);
    case 'M':
      return language.months[day.month - 1];
    case 'b':
      return language.short_months[day.month - 1];
    case 'y':
      return std::to_string(day.year);
    case '2':
      return two_digits(day.year);
    case 'W':
      return language.weekdays[day.weekday];
    default:
      return language.short_weekdays[day.weekday];
  }
}

std::string written(std::string_view pattern, const Day& day,
                    const Language& language) {
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '%') {
      text += part_of(pattern[++i], day, language);
    } else {
      text += pattern[i];
    }
  }
  return text;
}

void capitalise(std::string& text) {
  bool first = true;
  for (char& c : text) {
    if (first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    first = c == ' ';
  }
}

}  // namespace

SyntheticPair make_date(Draws draws) {
  const Day day = random_day(draws);
  const Language& language = draws.one_of(kLanguages);
  const std::span<const std::string_view> patterns =
      draws.once_in(3) ? std::span<const std::string_view>(kNumeric)
                       : std::span<const std::string_view>(language.patterns);
  std::string source = written(draws.one_of(patterns), day, language);
  if (draws.once_in(4)) capitalise(source);
  return {source, std::to_string(day.year) + "-" + two_digits(day.month) + "-" +
                      two_digits(day.day)};
}

}  // namespace fovea
