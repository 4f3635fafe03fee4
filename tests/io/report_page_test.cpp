// The data of a report: poses within the stated error, and a page that keeps to its size.
#include <gtest/gtest.h>

#include "clack/core/error.hpp"
#include "clack/io/report/page.hpp"
#include "tests/io/report_support.hpp"

namespace clack {
namespace {

using test::Folder;
using test::Unpacked;

std::vector<std::int64_t> first_rows(std::int64_t count) {
  std::vector<std::int64_t> rows;
  for (std::int64_t k = 0; k < count; ++k) rows.push_back(k);
  return rows;
}

// Sums of the differences of a row, as the page makes them.
std::vector<std::int64_t> summed(const std::vector<std::int32_t>& differences, std::size_t width) {
  std::vector<std::int64_t> out(differences.begin(), differences.end());
  for (std::size_t i = width; i < out.size(); ++i) out[i] += out[i - width];
  return out;
}

TEST(ReportData, PosesComeBackWithinTheStatedError) {
  const Folder folder;
  constexpr std::int64_t kRows = 150;  // the ball turns by more than one turn
  test::write_world(folder.file("results.h5"), kRows);
  const RunData run(folder.path().string());
  const nlohmann::json head = run.head();
  const double step = head["position_step"];
  EXPECT_DOUBLE_EQ(step, test::kBallRadius / 1000);
  const Unpacked block(run.frames_block(first_rows(kRows)).compress());
  constexpr std::size_t n = test::kWorldBodies;
  const auto position = summed(block.integers("position"), 3 * n);
  const auto rotation = summed(block.integers("rotation"), 4 * n);
  const auto velocity = summed(block.integers("velocity"), 6 * n);
  const double velocity_step = block.header["velocity_step"];
  for (std::size_t k = 0; k < kRows; ++k) {
    const std::vector<double> q = test::world_q(static_cast<std::int64_t>(k)),
                              v = test::world_v(static_cast<std::int64_t>(k));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        ASSERT_NEAR(step * static_cast<double>(position[(3 * k + axis) * n + i]), q[7 * i + axis],
                    0.5001 * step);
        ASSERT_NEAR(velocity_step * static_cast<double>(velocity[(6 * k + axis) * n + i]),
                    v[6 * i + axis], 0.5001 * velocity_step);
      }
      double dot = 0;  // of a rotation and itself, either sign
      for (std::size_t axis = 0; axis < 4; ++axis)
        dot += static_cast<double>(rotation[(4 * k + axis) * n + i]) / 32767 * q[7 * i + 3 + axis];
      ASSERT_NEAR(std::abs(dot), 1, 5e-5);
    }
  }
  // Steps of a smooth rotation are small, also where its quaternion changes sign.
  const auto steps = block.integers("rotation");
  for (std::size_t i = 4 * n; i < steps.size(); ++i) ASSERT_LT(std::abs(steps[i]), 3000);
}

TEST(ReportData, AStateThatIsNotFiniteIsHeldAndCounted) {
  const Folder folder;
  test::write_world(folder.file("results.h5"), 3, 2);
  const Unpacked block(RunData(folder.path().string()).frames_block({0, 1, 2}).compress());
  EXPECT_EQ(block.header["held"], 7);
  const auto position = block.integers("position");
  EXPECT_EQ(position[2 * 9 + 1], 0);  // no step of x of the ball
  EXPECT_NE(position[1 * 9 + 1], 0);
}

TEST(ReportData, ForcesPointAlongTheNormalOfTheContactAndActOnB) {
  const Folder folder;
  test::write_world(folder.file("results.h5"), 3);
  const RunData run(folder.path().string());
  const Unpacked block(run.contacts_block({0, 1, 2}).compress());
  EXPECT_EQ(block.integers("count"), (std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_EQ(block.integers("body_b"), (std::vector<std::int32_t>{2, 2}));
  const double unit = block.singles("scale")[1] / block.header["levels"].get<double>();
  EXPECT_NEAR(unit * block.integers("force")[2], 3, unit);  // z, row 1: r_N = 3
  const double step = run.head()["position_step"];
  EXPECT_NEAR(step * block.integers("point")[2], -1 - 2, step);  // from the centre of the box
  EXPECT_EQ(block.integers("status"), (std::vector<std::int32_t>{3, 2}));
}

TEST(ReportData, CurvesThatAreMergedKeepTheWorst) {
  const Folder folder;
  test::write_world(folder.file("results.h5"), 20);
  const RunData run(folder.path().string());
  const nlohmann::json columns = run.head()["columns"];
  const auto column = [&](const std::string& name) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i]["name"] == name) return std::to_string(i);
    return std::string("none");
  };
  const Unpacked block(run.curves_block(6, 0, run.points(6)).compress());
  ASSERT_EQ(block.doubles("time").size(), 4u);
  EXPECT_DOUBLE_EQ(block.doubles("time")[1], test::time_of(6));
  EXPECT_FLOAT_EQ(block.singles(column("residual"))[1], 0.5f);  // row 7 is merged into point 1
  EXPECT_FLOAT_EQ(block.singles(column("smallest gap"))[3], -19e-6f);
  EXPECT_FLOAT_EQ(block.singles(column("sticking"))[1], 1);  // row 6
  EXPECT_DOUBLE_EQ(block.doubles(column("potential"))[3], 1e6 + 18e-6);
  EXPECT_FLOAT_EQ(block.singles(column("a b"))[2], 12);
}

TEST(ReportPage, KeepsToItsSizeWithTheFirstAndTheLastRow) {
  const Folder folder;
  constexpr std::int64_t kRows = 3000;
  test::write_world(folder.file("results.h5"), kRows);
  const RunData run(folder.path().string());
  const std::string page_template = "<html><!--CLACK-DATA--></html>";
  for (const double limit : {0.1, 0.2, 10.0}) {
    PageFigures figures;
    const std::string page = make_page(run, page_template, {.max_size = limit}, figures);
    EXPECT_EQ(figures.bytes, static_cast<std::int64_t>(page.size()));
    EXPECT_TRUE(figures.within_limit);
    EXPECT_LE(page.size(), 1e6 * limit);
    EXPECT_GE(figures.frames, limit > 1 ? kRows : 2);
    EXPECT_EQ(figures.frame_stride == 1, limit > 1);
    const std::size_t at = page.find("id=\"clack-head\">") + 16;
    const auto head = nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
    EXPECT_EQ(head["bytes"], page.size());
    EXPECT_EQ(head["frames"]["rows"].front(), 0);
    EXPECT_EQ(head["frames"]["rows"].back(), kRows - 1);
    EXPECT_EQ(head["title"], "T </script> <b>");
    EXPECT_EQ(page.find("</SCRIPT"), std::string::npos);
  }
  PageFigures figures;
  (void)make_page(run, page_template, {.max_size = 0.001}, figures);
  EXPECT_FALSE(figures.within_limit);
  EXPECT_EQ(figures.frames, 2);
}

TEST(ReportPage, FoldersWithoutResultsAreRefusedInWords) {
  const Folder folder;
  EXPECT_THROW(RunData(folder.file("none")), IoError);
  EXPECT_THROW(RunData(folder.path().string()), InputError);
  std::ofstream(folder.file("results.h5")) << "text";
  EXPECT_THROW(RunData(folder.path().string()), InputError);
}

}  // namespace
}  // namespace clack
