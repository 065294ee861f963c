#include "algos/expression.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

namespace tutti {
namespace {

double value(const std::string& text, double p = 0, double n = 0) {
  const std::array facts{Fact{"p", p}, Fact{"n", n}};
  return Expression(text).evaluate(facts);
}

std::string refusal(const std::string& text) {
  try {
    value(text, 3, 4);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Expression, ProductsBindTighterThanSumsAndBothAssociateToTheLeft) {
  EXPECT_EQ(value("2+3*4"), 14);
  EXPECT_EQ(value("(2+3)*4"), 20);
  EXPECT_EQ(value("10-4-3"), 3);
  EXPECT_EQ(value("64/4/2"), 8);
  EXPECT_EQ(value("2-3*-1"), 5);
}

TEST(Expression, SlashDividesExactlyAndPercentIsTheRemainder) {
  EXPECT_EQ(value("7/2"), 3.5);
  EXPECT_EQ(value("17%5"), 2);
  EXPECT_EQ(value("floor(p/2)*n", 7, 10), 30);
}

TEST(Expression, ComparisonsAndLogicAreZeroOrOne) {
  EXPECT_EQ(value("p<=3 && n>3 || p==9", 3, 4), 1);
  EXPECT_EQ(value("!(p!=3)", 3), 1);
  EXPECT_EQ(value("p>=4", 3), 0);
  EXPECT_EQ(value("1 || 0 && 0"), 1) << "&& binds tighter than ||";
}

TEST(Expression, AConditionalEvaluatesOnlyTheBranchItTakes) {
  EXPECT_EQ(value("p>1 ? ceil_log(p-1,2) : 0", 1), 0) << "ceil_log(0,2) would be refused";
  EXPECT_EQ(value("p==1 ? 10 : p==2 ? 20 : 30", 2), 20);
  EXPECT_EQ(value("p>0 && log2(p)>2", 0), 0);
}

TEST(Expression, WholeNumberLogarithmsAreExactAroundEveryPower) {
  for (int k = 2; k <= 7; ++k)
    for (double power = k, exponent = 1; power < 1e9; power *= k, ++exponent) {
      const std::string base = "," + std::to_string(k) + ")";
      EXPECT_EQ(value("ceil_log(p" + base, power), exponent);
      EXPECT_EQ(value("floor_log(p" + base, power), exponent);
      EXPECT_EQ(value("ceil_log(p" + base, power + 1), exponent + 1);
      EXPECT_EQ(value("floor_log(p" + base, power - 1), exponent - 1);
    }
  EXPECT_EQ(value("ceil_log(1,2)+floor_log(1,5)"), 0);
}

TEST(Expression, PredicatesKnowPowersOfTwoAndParity) {
  for (int p = 1; p <= 300; ++p) {
    EXPECT_EQ(value("pow2(p)", p), (p & (p - 1)) == 0) << p;
    EXPECT_EQ(value("even(p)", p), p % 2 == 0) << p;
    EXPECT_EQ(value("odd(p)", p), p % 2 == 1) << p;
  }
  EXPECT_EQ(value("pow2(0)"), 0);
}

TEST(Expression, SumsNestAndAnEmptySumIsZero) {
  EXPECT_EQ(value("sum(i,1,p,i*i)", 10), 385);
  EXPECT_EQ(value("sum(i,1,3,sum(j,1,i,10*i+j))"), 11 + 21 + 22 + 31 + 32 + 33);
  EXPECT_EQ(value("sum(i,0,-1,1)"), 0);
  for (const char* endless :
       {"sum(i,0,1e18,1)", "sum(i,1e18,1e18+4096,1)", "sum(i,1,1e5,sum(j,1,1e5,1))", "sum(i,0,1/0,1)"})
    EXPECT_THROW(value(endless, 4), std::invalid_argument) << endless;
  EXPECT_THROW(value("ceil_log(1/0,2)", 4), std::invalid_argument);
  EXPECT_THROW(value("smooth(1/0,2)", 4), std::invalid_argument);
  EXPECT_EQ(value("sum(p,1,2,p)+p", 100), 103) << "the index shadows a fact inside the sum only";
}

TEST(Expression, WholeNumbersStayExactFarBeyondThirtyTwoBits) {
  EXPECT_EQ(value("(p-1)*n", 1025, 8796093022208.0), 1024 * 8796093022208.0);
}

TEST(Expression, IsNoDeeperThanAStackHolds) {
  const auto repeated = [](std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  const auto in_parentheses = [&](int levels) { return repeated("(", levels) + "p" + repeated(")", levels); };
  EXPECT_EQ(value(in_parentheses(150), 7), 7);
  EXPECT_EQ(value("0" + repeated("+p", 2000), 7), 14000);
  for (const std::string& deep : {in_parentheses(5000), repeated("-", 100'000) + "p", repeated("p?", 5000) + "p",
                                  repeated("abs(", 5000) + "p" + repeated(")", 5000)})
    EXPECT_NE(refusal(deep).find("expected at most 200 levels"), std::string::npos) << refusal(deep);
  EXPECT_NE(refusal("0" + repeated("+p", 100'000)).find("expected at most 4096 operators"), std::string::npos);
  EXPECT_LT(refusal(in_parentheses(5000)).size(), 200) << "not the whole of it";
}

TEST(Expression, WhatCannotBeReadIsRefusedWithItsPlace) {
  EXPECT_NE(refusal("p+").find("character 3: expected a value"), std::string::npos) << refusal("p+");
  EXPECT_NE(refusal("(p").find("expected ')'"), std::string::npos);
  EXPECT_NE(refusal("p n").find("expected the end"), std::string::npos);
  EXPECT_NE(refusal("cbrt(p)").find("unknown function 'cbrt'"), std::string::npos);
  EXPECT_NE(refusal("min(p)").find("min takes 2 arguments"), std::string::npos);
  EXPECT_NE(refusal("p ? 1").find("expected ':'"), std::string::npos);
  EXPECT_NE(refusal("").find("expected a value"), std::string::npos);
  EXPECT_NE(refusal("q*2").find("unknown name 'q'"), std::string::npos);
  EXPECT_NE(refusal("ceil_log(0,2)").find("need x >= 1"), std::string::npos);
}

}  // namespace
}  // namespace tutti
