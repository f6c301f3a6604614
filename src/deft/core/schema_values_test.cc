#include "deft/core/schema_values.h"

#include <gtest/gtest.h>

namespace deft::schema {
namespace {

Json json(std::string_view text) { return parse_json(text).value(); }

bool same(std::string_view a, std::string_view b) {
  StepBudget budget(1000);
  return equal(json(a), json(b), budget);
}

TEST(SchemaValues, MultiplesAreDecimal) {
  struct Case {
    const char* number;
    const char* divisor;
    bool multiple;
  };
  for (const auto& [number, divisor, multiple] : {
           Case{"0.0075", "0.0001", true},
           Case{"0.00751", "0.0001", false},
           Case{"19.99", "0.01", true},
           Case{"1e308", "0.123456789", false},
           Case{"1e308", "0.5", true},
           Case{"1e-300", "1e300", false},
           Case{"5e-324", "5e-324", true},
           Case{"0", "3", true},
           Case{"-0.0", "0.1", true},
           Case{"-9", "3", true},
           Case{"-9223372036854775808", "2", true},
           Case{"18446744073709551615", "5", true},
           Case{"18446744073709551615", "7", false},
           Case{"12391239123", "1e-8", true},
           Case{"7", "2.5", false},
           Case{"7.5", "2.5", true},
           Case{"30", "1e1", true},
           Case{"35", "1e1", false},
       }) {
    EXPECT_EQ(is_multiple(json(number), json(divisor)), multiple) << number << " / " << divisor;
  }
}

TEST(SchemaValues, NumbersCompareExactlyAcrossTypes) {
  EXPECT_TRUE(same("1", "1.0"));
  EXPECT_TRUE(same("18446744073709551615", "18446744073709551615"));
  EXPECT_FALSE(same("9007199254740993", "9007199254740992.0")) << "the double is one less";
  EXPECT_EQ(compare_numbers(json("18446744073709551615"), json("18446744073709551616.0")), std::strong_ordering::less);
  EXPECT_EQ(compare_numbers(json("-1"), json("18446744073709551615")), std::strong_ordering::less);
}

TEST(SchemaValues, EqualityIsOfValuesNotOfText) {
  EXPECT_TRUE(same(R"({"a":1,"b":[2,{}]})", R"({"b":[2.0,{}],"a":1})"));
  EXPECT_FALSE(same(R"({"a":1})", R"({"b":1})"));
  EXPECT_FALSE(same("[1,2]", "[2,1]"));
  EXPECT_FALSE(same("0", "false"));
  EXPECT_FALSE(same("null", "false"));
  EXPECT_FALSE(same("\"a\"", "[\"a\"]"));
}

TEST(SchemaValues, DuplicatesAreFoundWhateverTheirSpelling) {
  StepBudget budget(10'000);
  EXPECT_EQ(find_duplicate(json(R"([1,"x",{"a":1,"b":2},[],{"b":2,"a":1.0}])").get_array(), budget),
            std::pair(std::size_t{2}, std::size_t{4}));
  EXPECT_EQ(find_duplicate(json(R"([0,false,"",null,[],{}])").get_array(), budget), std::nullopt);
  EXPECT_FALSE(budget.spent());
}

TEST(SchemaValues, ASpentBudgetIsNeverTakenForAnAnswer) {
  StepBudget budget(10);
  EXPECT_EQ(find_duplicate(json("[1,2,3,4,5,6,7,8,9,10,11,12,1]").get_array(), budget), std::nullopt);
  EXPECT_TRUE(budget.spent());

  Json deep = 1;
  for (int i = 0; i < 2000; ++i) deep = JsonArray{std::move(deep)};
  StepBudget large(1'000'000);
  find_duplicate(JsonArray{deep, deep}, large);
  EXPECT_TRUE(large.spent()) << "too deep to compare";
}

}  // namespace
}  // namespace deft::schema
