#include <gtest/gtest.h>

#include <krylite/io/generate.hpp>
#include <limits>
#include <map>
#include <string>

namespace {

std::string message_of(const std::string& text) {
  try {
    krylite::parse_generator(text);
  } catch (const krylite::Error& error) {
    return error.what();
  }
  return "(accepted)";
}

void expect_error(const std::string& text, const std::string& fragment) {
  const std::string message = message_of(text);
  EXPECT_EQ(message.compare(0, text.size() + 2, text + ": "), 0) << message;
  EXPECT_NE(message.find(fragment), std::string::npos) << message;
}

TEST(ParseGenerator, ReadsKindSizeAndOptions) {
  const krylite::GeneratorSpec spec = krylite::parse_generator("gen:lp:4284:columns=1090000:seed=7");
  EXPECT_EQ(spec.kind, "lp");
  EXPECT_EQ(spec.n, 4284);
  EXPECT_EQ(spec.options, (std::map<std::string, double>{{"columns", 1090000}, {"seed", 7}}));
  EXPECT_EQ(krylite::parse_generator("gen:convection-diffusion:2:peclet=1.5e2").options.at("peclet"), 150);
  EXPECT_TRUE(krylite::parse_generator("gen:poisson2d:2").options.empty());
}

TEST(ParseGenerator, RecognisesItsTexts) {
  EXPECT_TRUE(krylite::is_generator("gen:poisson2d:4"));
  EXPECT_TRUE(krylite::is_generator("gen:"));
  EXPECT_FALSE(krylite::is_generator("gen"));
  EXPECT_FALSE(krylite::is_generator("./gen:poisson2d:4"));
  EXPECT_FALSE(krylite::is_generator(""));
}

TEST(ParseGenerator, RefusesKinds) {
  expect_error("gen:", "unknown kind ''");
  expect_error("gen:poison2d:4", "the kinds are poisson2d, poisson3d");
  expect_error("gen:POISSON2D:4", "diagonal-plus-dense-row");
  expect_error("matrix.mtx", "expected gen:KIND:N");
}

TEST(ParseGenerator, RefusesSizes) {
  expect_error("gen:poisson2d", "n is missing");
  for (const std::string n : {"", "0", "-3", "x", "4.5", "1e3", " 4", "4 ", "0x10", "99999999999999999999"}) {
    expect_error("gen:poisson2d:" + n, "n must be a whole number from 1, not '" + n + "'");
  }
}

TEST(ParseGenerator, RefusesMoreRowsThanAnIndexHolds) {
  const std::string fragment = "gives more than 2147483647 rows";
  // The largest that are accepted, and one more.
  EXPECT_EQ(krylite::parse_generator("gen:poisson2d:46340").n, 46340);
  expect_error("gen:poisson2d:46341", fragment);
  EXPECT_EQ(krylite::parse_generator("gen:poisson3d:1290").n, 1290);
  expect_error("gen:poisson3d:1291", fragment);
  EXPECT_EQ(krylite::parse_generator("gen:elasticity:894").n, 894);
  expect_error("gen:elasticity:895", fragment);
  EXPECT_EQ(krylite::parse_generator("gen:rmat:30").n, 30);
  expect_error("gen:rmat:31", fragment);
  EXPECT_EQ(krylite::parse_generator("gen:arrow:2147483647").n, 2147483647);
  expect_error("gen:arrow:2147483648", fragment);
  // Their powers wrap in 64 bits, some to something small.
  expect_error("gen:poisson2d:4294967296", fragment);
  expect_error("gen:poisson3d:2642245", fragment);
  expect_error("gen:stencil27:9223372036854775807", fragment);
  expect_error("gen:rmat:9223372036854775807", fragment);
}

TEST(ParseGenerator, RefusesOptions) {
  expect_error("gen:poisson2d:4:peclet=1", "poisson2d has no option 'peclet'; it takes shuffle");
  expect_error("gen:rmat:4:foo=1", "it takes edges, seed, shuffle");
  expect_error("gen:poisson2d:4:", "expected key=value");
  expect_error("gen:poisson2d:4:shuffle", "expected key=value, not 'shuffle'");
  expect_error("gen:poisson2d:4:=3", "no option ''");
  expect_error("gen:poisson2d:4:shuffle=1:shuffle=2", "shuffle is given twice");
}

TEST(ParseGenerator, RefusesValues) {
  const std::string peclet = "gen:convection-diffusion:4:peclet=";
  for (const std::string value : {"", "x", "nan", "inf", "1e999", "-1", "3,5", "3x", "1e10", " 3"}) {
    expect_error(peclet + value, "peclet must be a number from 0 to 1000000000");
  }
  expect_error("gen:anisotropic:4:eps=0", "eps must be a number");
  expect_error("gen:rmat:4:edges=0", "edges must be a whole number from 1 to 4096, not '0'");
  expect_error("gen:rmat:4:edges=2.5", "not '2.5'");
  expect_error("gen:lp:4:columns=2147483648", "columns must be a whole number from 1 to 2147483647");
  expect_error("gen:lp:600000000", "columns must be");
  expect_error("gen:web:4:seed=-1", "seed must be");
  expect_error("gen:web:4:shuffle=1e300", "shuffle must be");
}

TEST(GeneratorSpec, ChecksSpecificationsThatWereNotParsed) {
  EXPECT_THROW(krylite::generate({"poisson2d", 0, {}}), krylite::Error);
  EXPECT_THROW(krylite::generate({"nothing", 4, {}}), krylite::Error);
  EXPECT_THROW(krylite::generate({"poisson2d", 4, {{"peclet", 1.0}}}), krylite::Error);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(krylite::generate({"anisotropic", 4, {{"eps", nan}}}), krylite::Error);
}

TEST(GeneratorSpec, RefusesWhatNoMachineHolds) {
  // 2 * 10^9 rows of 81 or 4096 * 2^30 edges: more than 1.9 and 16 TB.
  for (const char* text : {"gen:elasticity:890", "gen:rmat:30:edges=4096", "gen:lp:500000000"}) {
    try {
      krylite::generate(krylite::parse_generator(text));
      FAIL() << text << " was made";
    } catch (const krylite::Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }
}

TEST(GeneratorKinds, AreDescribed) {
  const auto kinds = krylite::generator_kinds();
  EXPECT_EQ(kinds.size(), 12u);
  for (const auto& kind : kinds) {
    EXPECT_FALSE(kind.description.empty() || kind.size_description.empty()) << kind.name;
    ASSERT_FALSE(kind.options.empty()) << kind.name;
    EXPECT_EQ(kind.options.back().name, "shuffle");
    for (const auto& option : kind.options) {
      EXPECT_FALSE(option.description.empty());
      EXPECT_LT(option.minimum, option.maximum);
      if (option.default_value) {
        EXPECT_GE(*option.default_value, option.minimum);
        EXPECT_LE(*option.default_value, option.maximum);
      }
    }
  }
}

}  // namespace
