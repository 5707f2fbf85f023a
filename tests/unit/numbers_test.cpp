// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <string>

#include "common/system/error.h"

namespace futex_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Numbers = std::vector<std::uint64_t>;

/// The message with which `parse` fails; "accepted" if it does not.
template <class Parse>
std::string error_of(Parse parse) {
  try {
    (void)parse();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

std::string count_error(std::string_view text) {
  return error_of([&] { return parse_count(text, 1, 65536); });
}
std::string real_error(std::string_view text) {
  return error_of([&] { return parse_real(text, 0.001, 86400); });
}
std::string ranges_error(std::string_view text) {
  return error_of([&] { return parse_ranges(text, 1, 65536); });
}

/// Nobody's idea of a number, whatever is asked for.
const char* const kNeverNumbers[] = {"",
                                     " ",
                                     "0",
                                     "-1",
                                     "5-1",
                                     "1-",
                                     "-",
                                     "1,,2",
                                     "99999999999",
                                     "nan",
                                     "NaN",
                                     "inf",
                                     "-inf",
                                     "1e400",
                                     "infinity",
                                     "0x10",
                                     "010",
                                     " 7",
                                     "7 ",
                                     "7abc",
                                     "+7",
                                     "--5",
                                     "1 2",
                                     "\t3",
                                     "3\n",
                                     "1e",
                                     "1.e",
                                     ".",
                                     "-.",
                                     "1,",
                                     ",1",
                                     "1e-400",
                                     "\xc2\xbd",
                                     "18446744073709551616",
                                     "1..2",
                                     "1-2-3",
                                     "0b1",
                                     "1_000",
                                     "1'000",
                                     "1e+",
                                     "5.",
                                     "e5",
                                     "4:2"};

/// A message quotes the text, stays on one line and says something.
void expect_good_message(const std::string& message, std::string_view text) {
  EXPECT_NE(message, "accepted") << "for '" << text << "'";
  EXPECT_THAT(message, StartsWith(quote(text))) << "for '" << text << "'";
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  EXPECT_GT(message.size(), quote(text).size() + 10);
}

TEST(Numbers, EveryParserRefusesWhatIsNoNumber) {
  for (const std::string_view text : kNeverNumbers) {
    expect_good_message(count_error(text), text);
    expect_good_message(real_error(text), text);
    EXPECT_NE(ranges_error(text), "accepted") << "for '" << text << "'";
    EXPECT_THAT(ranges_error(text), HasSubstr(quote(text)));
  }
}

TEST(ParseCount, Accepts) {
  EXPECT_EQ(parse_count("1", 1, 10), 1u);
  EXPECT_EQ(parse_count("10", 1, 10), 10u);
  EXPECT_EQ(parse_count("0", 0, 10), 0u);
  EXPECT_EQ(parse_count("10k", 1, 10'000), 10'000u);
  EXPECT_EQ(parse_count("1M", 1, UINT64_MAX), 1'000'000u);
  EXPECT_EQ(parse_count("18446744073709551615", 0, UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(parse_count("18446744073709551k", 0, UINT64_MAX), 18446744073709551000u);
}

TEST(ParseCount, RefusesFractionsAndOverflow) {
  for (const char* text :
       {"1.5", "1e3", "18446744073709551616", "99999999999999999999999999", "18446744073709552k",
        "18446744073710M", "1kk", "1kM", "k", "-5", "-0"}) {
    expect_good_message(error_of([&] { return parse_count(text, 0, UINT64_MAX); }), text);
  }
}

TEST(ParseCount, SaysWhatIsWrongAndWhatWouldBeRight) {
  EXPECT_EQ(count_error("0"), "'0': must be from 1 to 65536");
  EXPECT_EQ(count_error("-1"), "'-1': must be from 1 to 65536");
  EXPECT_EQ(count_error("65537"), "'65537': must be from 1 to 65536");
  EXPECT_EQ(count_error("66k"), "'66k': must be from 1 to 65536");
  EXPECT_EQ(count_error(""), "'': a number is missing; it must be from 1 to 65536");
  EXPECT_EQ(count_error("010"), "'010': a leading zero is not allowed (did you mean 10?)");
  EXPECT_EQ(count_error(" 7"), "' 7': a space is not allowed (did you mean 7?)");
  EXPECT_EQ(count_error("+7"), "'+7': a sign is not allowed (did you mean 7?)");
  EXPECT_EQ(count_error("1.5"), "'1.5': not a whole decimal number; must be from 1 to 65536");
  EXPECT_THAT(count_error("5K"), HasSubstr("unknown suffix 'K'"));
}

TEST(ParseCount, NeverSuggestsWhatItWouldRefuse) {
  EXPECT_THAT(count_error("099999999"), Not(HasSubstr("did you mean")));
  EXPECT_THAT(count_error(" 0"), Not(HasSubstr("did you mean")));
  EXPECT_THAT(count_error(" -7"), Not(HasSubstr("did you mean")));
}

TEST(ParseReal, Accepts) {
  EXPECT_DOUBLE_EQ(parse_real("0.2", 0, 1), 0.2);
  EXPECT_DOUBLE_EQ(parse_real("5", 0, 5), 5);
  EXPECT_DOUBLE_EQ(parse_real(".5", 0, 1), 0.5);
  EXPECT_DOUBLE_EQ(parse_real("1e-3", 0.001, 1), 0.001);
  EXPECT_DOUBLE_EQ(parse_real("1.5E+2", 0, 1000), 150);
  EXPECT_DOUBLE_EQ(parse_real("-2.5", -3, 0), -2.5);
  EXPECT_DOUBLE_EQ(parse_real("0.0", 0, 1), 0);
  EXPECT_FALSE(std::signbit(parse_real("-0", 0, 1)));
}

TEST(ParseReal, SaysWhatIsWrong) {
  EXPECT_EQ(real_error("0"), "'0': must be from 0.001 to 86400");
  EXPECT_EQ(real_error("86401"), "'86401': must be from 0.001 to 86400");
  EXPECT_EQ(real_error("1e400"),
            "'1e400': too large or too close to zero; must be from 0.001 to 86400");
  EXPECT_EQ(error_of([] { return parse_real("1e-400", 0, 1); }),
            "'1e-400': too large or too close to zero; must be from 0 to 1");
  EXPECT_THAT(real_error("nan"), HasSubstr("not a plain decimal number"));
  EXPECT_THAT(real_error("0,5"), HasSubstr("like 0.2"));
}

TEST(ParseReal, RefusesNanAndInfinityWithoutBounds) {
  for (const char* text : {"nan", "-nan", "nan(1)", "inf", "INFINITY", "1e999", "0x1p3"}) {
    EXPECT_NE(error_of([&] { return parse_real(text, -HUGE_VAL, HUGE_VAL); }), "accepted") << text;
  }
}

TEST(ParseReal, IgnoresTheLocale) {
  // Where no locale with a decimal comma is installed, this tests the C locale only.
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    EXPECT_DOUBLE_EQ(parse_real("0.2", 0, 1), 0.2) << name;
    EXPECT_NE(real_error("0,2"), "accepted") << name;
  }
  std::setlocale(LC_ALL, "C");
}

TEST(ParseRanges, Accepts) {
  EXPECT_THAT(parse_ranges("4", 1, 9), ElementsAre(4));
  EXPECT_THAT(parse_ranges("1-8", 1, 8), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(parse_ranges("3-3", 1, 8), ElementsAre(3));
  EXPECT_THAT(parse_ranges("1-64:8", 1, 64), ElementsAre(1, 9, 17, 25, 33, 41, 49, 57));
  EXPECT_THAT(parse_ranges("1-9:8", 1, 64), ElementsAre(1, 9));
  EXPECT_THAT(parse_ranges("0-4:2", 0, 64), ElementsAre(0, 2, 4));
  EXPECT_THAT(parse_ranges("1-64:x2", 1, 64), ElementsAre(1, 2, 4, 8, 16, 32, 64));
  EXPECT_THAT(parse_ranges("3-50:x3", 1, 64), ElementsAre(3, 9, 27));
  EXPECT_THAT(parse_ranges("2-5:100", 1, 64), ElementsAre(2));
  EXPECT_THAT(parse_ranges("8,1-3,20-30:10", 1, 64), ElementsAre(1, 2, 3, 8, 20, 30));
  EXPECT_THAT(parse_ranges("1k", 1, 65536), ElementsAre(1000));
  EXPECT_EQ(parse_ranges("0-65535", 0, 65535).size(), kMaxRangeEntries);
}

TEST(ParseRanges, DoesNotOverflow) {
  EXPECT_THAT(parse_ranges("18446744073709551614-18446744073709551615", 0, UINT64_MAX),
              ElementsAre(UINT64_MAX - 1, UINT64_MAX));
  EXPECT_THAT(parse_ranges("1-18446744073709551615:18446744073709551615", 0, UINT64_MAX),
              ElementsAre(1));
  EXPECT_THAT(parse_ranges("9223372036854775808-18446744073709551615:x2", 0, UINT64_MAX),
              ElementsAre(1ull << 63));
  EXPECT_EQ(parse_ranges("1-18446744073709551615:x2", 0, UINT64_MAX).size(), 64u);
}

TEST(ParseRanges, LimitsTheListBeforeItIsBuilt) {
  for (const char* text : {"0-18446744073709551615", "0-65536", "0-65535,65536", "1-99999999999",
                           "0-65535,70000-70001:x2", "0-65535,70000-18446744073709551615"}) {
    EXPECT_EQ(error_of([&] { return parse_ranges(text, 0, UINT64_MAX); }),
              quote(text) + ": more than 65536 numbers");
  }
}

TEST(ParseRanges, SaysWhatIsWrongAndWhatWouldBeRight) {
  EXPECT_EQ(ranges_error("5-1"), "'5-1': range end is below its start (did you mean 1-5?)");
  EXPECT_EQ(ranges_error("64-1:x2"),
            "'64-1:x2': range end is below its start (did you mean 1-64:x2?)");
  EXPECT_EQ(ranges_error("1-"), "'1-': range end is missing (did you mean 1?)");
  EXPECT_EQ(ranges_error("-"), "'-': a range needs a start and an end, like 1-8");
  EXPECT_EQ(ranges_error("1,,2"), "'1,,2': a number is missing next to a comma");
  EXPECT_EQ(ranges_error("1,"), "'1,': a number is missing next to a comma");
  EXPECT_EQ(ranges_error(""), "'': a number is missing; it must be from 1 to 65536");
  EXPECT_EQ(ranges_error("-1"), "'-1': must be from 1 to 65536");
  EXPECT_EQ(ranges_error("0"), "'0': must be from 1 to 65536");
  EXPECT_EQ(ranges_error(" 7"), "' 7': a space is not allowed (did you mean 7?)");
  EXPECT_EQ(ranges_error("2, 7"), "' 7' in '2, 7': a space is not allowed (did you mean 7?)");
  EXPECT_EQ(ranges_error("1-4,3"), "'1-4,3': 3 is given twice");
  EXPECT_EQ(ranges_error("7,7"), "'7,7': 7 is given twice");
  EXPECT_EQ(ranges_error("0-9"), "'0-9': '0': must be from 1 to 65536");
  EXPECT_THAT(ranges_error("4:2"), HasSubstr("a step needs a range"));
}

TEST(ParseRanges, RefusesBadSteps) {
  for (const char* text : {"1-8:0", "1-8:", "1-8:-1", "1-8:1.5", "1-8:2:2", "1-8: 2", "1-8:02"}) {
    EXPECT_THAT(ranges_error(text), HasSubstr("the step after ':' must be")) << text;
  }
  for (const char* text : {"1-8:x1", "1-8:x0", "1-8:x", "1-8:x-2", "1-8:xx2", "1-8:x1.5"}) {
    EXPECT_THAT(ranges_error(text), HasSubstr("the factor after ':x' must be")) << text;
  }
  EXPECT_THAT(error_of([] { return parse_ranges("0-8:x2", 0, 9); }),
              HasSubstr("cannot start at 0"));
}

TEST(ParseRangesInOrder, KeepsTheOrderWritten) {
  EXPECT_THAT(parse_ranges_in_order("3,0-1", 0, 9), ElementsAre(3, 0, 1));
  EXPECT_THAT(error_of([] { return parse_ranges_in_order("3,0-3", 0, 9); }),
              HasSubstr("3 is given twice"));
}

TEST(ParseRangesInOrder, AsksForThePlainRangesOnly) {
  const PlainRange ends = [](std::uint64_t first, std::uint64_t last) {
    return Numbers{first, last};
  };
  EXPECT_THAT(parse_ranges_in_order("1-9,20-24:2,30", 0, 99, ends),
              ElementsAre(1, 9, 20, 22, 24, 30));
}

TEST(Quote, KeepsMessagesOnOneLine) {
  EXPECT_EQ(quote("plain"), "'plain'");
  EXPECT_EQ(quote("a\nb\x1b[1m\x7f"), "'a\\x0ab\\x1b[1m\\x7f'");
  EXPECT_EQ(quote("gr\xc3\xb6\xc3\x9f"
                  "e"),
            "'gr\xc3\xb6\xc3\x9f"
            "e'");
}

TEST(Quote, ShortensBetweenCharacters) {
  EXPECT_EQ(quote(std::string(60, 'a')), "'" + std::string(60, 'a') + "'");
  EXPECT_EQ(quote(std::string(61, 'a')), "'" + std::string(60, 'a') + "...'");
  EXPECT_EQ(quote(std::string(59, 'a') + "\xc3\xb6zz"), "'" + std::string(59, 'a') + "...'");
}

}  // namespace
}  // namespace futex_bench
