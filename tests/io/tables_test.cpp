// Tables of numbers as text.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "clack/core/error.hpp"
#include "clack/io/tables/table_reader.hpp"

namespace clack {
namespace {

class Tables : public testing::Test {
 protected:
  ~Tables() override { std::filesystem::remove(path_); }
  Table read(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return read_table(path_);
  }
  std::string message(const std::string& text) {
    try {
      read(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  std::string path_ = (std::filesystem::temp_directory_path() /
                       ("clack_table_" + std::to_string(getpid()) + ".csv"))
                          .string();
};

TEST_F(Tables, WithAHeadingHaveNamedColumns) {
  const Table table = read("t,x,x'\n0,1,-2\n\n# a remark\n0.5, 1.5e0 ,+3\r\n");
  EXPECT_EQ(table.names, (std::vector<std::string>{"t", "x", "x'"}));
  ASSERT_EQ(table.rows(), 2u);
  EXPECT_EQ(table.at(1, 0), 0.5);
  EXPECT_EQ(table.at(1, 1), 1.5);
  EXPECT_EQ(table.at(1, 2), 3);
}

TEST_F(Tables, WithTheNumberOfRowsAndColumnsInFrontLoseThatLine) {
  const Table table = read("2 3\n0 1 2\n3 4 5\n");
  EXPECT_TRUE(table.names.empty());
  ASSERT_EQ(table.rows(), 2u);
  EXPECT_EQ(table.at(0, 2), 2);
  EXPECT_EQ(table.at(1, 0), 3);
}

TEST_F(Tables, OfTwoColumnsAreNotTakenForAHeading) {
  const Table table = read("0 1\n1 2\n");
  EXPECT_EQ(table.rows(), 2u);
  EXPECT_EQ(table.columns, 2u);
}

TEST_F(Tables, ThatAreTornAreRefusedWithTheLine) {
  EXPECT_NE(message("t x\n0 1\n2\n").find(":3: has 1 columns; the lines above have 2"),
            std::string::npos);
  EXPECT_NE(message("t x\n0 1\n2 1..5\n").find(":3: '1..5' is no number"), std::string::npos);
  EXPECT_NE(message("5 3\n0 1 2\n").find("says 5 rows and holds 1"), std::string::npos);
  EXPECT_NE(message("2 4\n0 1 2\n").find("has 3 columns"), std::string::npos);
  EXPECT_NE(message("").find("holds no numbers"), std::string::npos);
  EXPECT_NE(message("t x\n").find("holds no numbers"), std::string::npos);
  EXPECT_NE(message("0 1\n0 2\n1 2 3\n").find(":3:"), std::string::npos);
  EXPECT_NE(message("-1 nan\n1 2 3\n").find(":2:"), std::string::npos);
}

TEST_F(Tables, ThatDoNotExistAreAnIoError) { EXPECT_THROW(read_table("/no/such/file"), IoError); }

}  // namespace
}  // namespace clack
