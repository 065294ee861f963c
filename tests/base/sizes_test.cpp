#include "base/sizes.hpp"

#include <gtest/gtest.h>

#include <ctime>

#include "base/error.hpp"

namespace tutti {
namespace {

using List = std::vector<std::int64_t>;

TEST(Sizes, SuffixesArePowersOf1024) {
  EXPECT_EQ(parse_size("0"), 0);
  EXPECT_EQ(parse_size("123"), 123);
  EXPECT_EQ(parse_size("64K"), 65536);
  EXPECT_EQ(parse_size("4M"), 4194304);
  EXPECT_EQ(parse_size("3G"), 3221225472);
  EXPECT_EQ(parse_size("4294967296G"), std::int64_t{1} << 62);
}

TEST(Sizes, MayBeWrittenAsPeopleWriteThem) {
  for (const char* text : {"8k", "8Ki", "8KiB", "8ki", "8192B", "8192", "8.192e3", "0.0078125M"})
    EXPECT_EQ(parse_size(text), 8192) << text;
  EXPECT_EQ(parse_size("1e6"), 1000000);
  EXPECT_EQ(parse_size("1.5E+3"), 1500);
  EXPECT_EQ(parse_size("1.50M"), 1572864);
  EXPECT_EQ(parse_size("0e999"), 0);
  EXPECT_EQ(parse_list("1k:4KiB,1e3"), (List{1000, 1024, 2048, 4096}));
}

TEST(Sizes, AnythingElseIsRefused) {
  for (const char* text : {"",
                           "K",
                           "-1",
                           "12X",
                           "1.0001K",
                           " 4",
                           "4 ",
                           "4KB",
                           "4kb",
                           "4294967297G",
                           "4611686018427387905",
                           "99999999999999999999",
                           "1e19",
                           "1e-3",
                           "1e",
                           "1.",
                           ".5K",
                           "8KiBs",
                           "8i",
                           "1e9999",
                           "0x10",
                           "1.5"})
    EXPECT_THROW(static_cast<void>(parse_size(text)), InputError) << text;
}

TEST(Sizes, ListsMixNumbersRangesAndDoubling) {
  EXPECT_EQ(parse_list("5"), List{5});
  EXPECT_EQ(parse_list("8,2,4,2"), (List{2, 4, 8})) << "ascending and unique";
  EXPECT_EQ(parse_list("2-5"), (List{2, 3, 4, 5}));
  EXPECT_EQ(parse_list("4:40"), (List{4, 8, 16, 32}));
  EXPECT_EQ(parse_list("1K:4K"), (List{1024, 2048, 4096}));
  EXPECT_EQ(parse_list("3,1:4,9-10"), (List{1, 2, 3, 4, 9, 10}));
  EXPECT_EQ(parse_list("7-7"), List{7});
}

TEST(Sizes, BadListsAreRefusedAndNamed) {
  for (const char* text : {"", ",", "1,", "5-2", "0:8", "1-2-3", "a", "4:", "-4", "8:4"})
    EXPECT_THROW(static_cast<void>(parse_list(text)), InputError) << text;
  EXPECT_THROW(static_cast<void>(parse_list("1-2000000")), InputError) << "longer than the limit";
  EXPECT_THROW(static_cast<void>(parse_list("1-3,5-7", 5)), InputError);
  try {
    static_cast<void>(parse_list("1,x,3"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'x'"), std::string::npos) << error.what();
  }
}

TEST(Sizes, AListNearItsLimitIsNotSortedForEachPart) {
  std::string text = "1-99999";
  for (int i = 0; i < 1000; ++i) text += ",1-2";
  const std::clock_t start = std::clock();
  EXPECT_EQ(parse_list(text, 100'000).size(), 99'999u);
  EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC) << "processor time";
}

TEST(Sizes, PartsThatSayTheSameAgainMakeAListNoLonger) {
  std::string text = "1-5";
  for (int i = 0; i < 1000; ++i) text += ",2-5";
  EXPECT_EQ(parse_list(text, 5), (List{1, 2, 3, 4, 5}));
  EXPECT_THROW(static_cast<void>(parse_list(text + ",6", 5)), InputError);
}

TEST(Sizes, FormattingIsTheShortestExactForm) {
  EXPECT_EQ(format_size(0), "0");
  EXPECT_EQ(format_size(1023), "1023");
  EXPECT_EQ(format_size(1024), "1K");
  EXPECT_EQ(format_size(1536), "1536");
  EXPECT_EQ(format_size(1 << 20), "1M");
  EXPECT_EQ(format_size((1 << 20) + 1024), "1025K");
  EXPECT_EQ(format_size(std::int64_t{5} << 30), "5G");
}

TEST(Sizes, FormattingAndParsingAreInverse) {
  for (std::int64_t size = 1; size < (std::int64_t{1} << 60); size = size * 3 + 7)
    for (const std::int64_t s : {size, size << 2, size & ~std::int64_t{1023}}) EXPECT_EQ(parse_size(format_size(s)), s);
}

}  // namespace
}  // namespace tutti
