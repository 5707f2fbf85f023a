// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/number_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

namespace futex_bench {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(NumberText, KeepsAboutFourDigitsAndNoExponent) {
  EXPECT_EQ(value_text(20790.4), "20790");
  EXPECT_EQ(value_text(1234567890), "1234567890");
  EXPECT_EQ(value_text(123.456), "123.5");
  EXPECT_EQ(value_text(12.3456), "12.35");
  EXPECT_EQ(value_text(1.23456), "1.235");
  EXPECT_EQ(value_text(-1.23456), "-1.235");
  EXPECT_EQ(value_text(0.0123456), "0.0123");
  EXPECT_EQ(value_text(34), "34");
  EXPECT_EQ(value_text(-0.0), "0");
}

TEST(NumberText, NothingWithoutANumberComesOut) {
  for (const double value : {kNaN, kInf, -kInf}) {
    EXPECT_EQ(value_text(value), "-");
    EXPECT_EQ(fixed_text(value, 2), "-");
    EXPECT_EQ(percent_text(value), "-");
    EXPECT_EQ(seconds_text(value), "-");
    EXPECT_EQ(exact_text(value), "");
  }
}

TEST(NumberText, FixedIsAsPrintf) {
  EXPECT_EQ(fixed_text(5.725, 1), "5.7");
  EXPECT_EQ(fixed_text(20790.5001, 0), "20791");
  EXPECT_EQ(fixed_text(-0.001, 2), "0.00");
  EXPECT_EQ(fixed_text(-0.5, 1), "-0.5");
}

TEST(NumberText, PercentShowsThatSomethingIsThere) {
  EXPECT_EQ(percent_text(0), "0%");
  EXPECT_EQ(percent_text(0.0001), "<0.1%");
  EXPECT_EQ(percent_text(0.0042), "0.4%");
  EXPECT_EQ(percent_text(0.314), "31%");
  EXPECT_EQ(percent_text(1), "100%");
}

TEST(NumberText, ExactReadsBackAsTheSameDouble) {
  for (const double value : {0.1, 1.0 / 3, 20790.123456789, 5e-324, 1.7976931348623157e308}) {
    EXPECT_EQ(std::strtod(exact_text(value).c_str(), nullptr), value);
  }
}

TEST(NumberText, SecondsKeepShortOnesReadable) {
  EXPECT_EQ(seconds_text(0.2), "0.20 s");
  EXPECT_EQ(seconds_text(10), "10.00 s");
  EXPECT_EQ(seconds_text(0.005), "0.005 s");
}

TEST(NumberText, CountsAndForeignText) {
  EXPECT_EQ(counted(1, "trial"), "1 trial");
  EXPECT_EQ(counted(0, "trial"), "0 trials");
  EXPECT_EQ(one_line("a\nb\tc\033[31m\x7f"
                     "d\xc3\xa9"),
            "a b c [31m d\xc3\xa9");
}

TEST(RatioNumber, SmallOnesKeepThreeDigits) {
  EXPECT_EQ(ratio_number(1.2345), "1.234");
  EXPECT_EQ(ratio_number(0.1), "0.100");
  EXPECT_EQ(ratio_number(0.0123456), "0.0123");
  EXPECT_EQ(ratio_number(0.000217), "0.000217");
  EXPECT_EQ(ratio_number(0), "0.000");
  EXPECT_EQ(ratio_number(1.0 / 0.0), "-");
}

}  // namespace
}  // namespace futex_bench
