// What laws remember, in results.h5 and across --resume.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "clack/io/results/results_reader.hpp"
#include "program.hpp"

namespace clack::test {
namespace {

const std::string kTwo = R"(clack: 1
title: One bond and one plain contact
system:
  type: linear
  coordinates: [x, y]
  M: [[1, 0], [0, 1]]
  f: [3, -3]
  contacts:
    - name: bond
      G: [1, 0]
      area: 0.01
      cohesion: {law: bilinear, c_n: 1.0e4, c_t: 1.0e4, s_1: 200, s_2: 200, G_1: 8, G_2: 8}
    - {name: floor, G: [0, 1]}
initial: {q: [0, 0], v: [0, 0]}
simulation: {step: 1.0e-2, end: 1}
)";

TEST(LawResults, AreColumnsByVariableAndContact) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", kTwo);
  const Outcome outcome = run_clack({"run", scene, "-o", folder.file("out"), "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\"work_bond\""), std::string::npos);
  const ResultsReader file(folder.file("out") + "/results.h5");
  EXPECT_EQ(file.strings("/model/law_variable"),
            (std::vector<std::string>{"intact", "bond_work", "bond_stored", "bond_dissipated",
                                      "jump_n"}));
  EXPECT_EQ(file.strings("/model/law_unit"), (std::vector<std::string>{"-", "J", "J", "J", "m"}));
  const ContactColumns contacts = file.contacts();
  const RowMatrix intact = file.matrix("/contacts/law/intact"),
                  work = file.matrix("/contacts/law/bond_work");
  const RowMatrix jump = file.matrix("/contacts/law/jump_n"), q = file.q();
  ASSERT_EQ(intact.rows(), static_cast<Eigen::Index>(contacts.id.size()));
  long bonds = 0;
  double last = 0;
  for (Eigen::Index row = 0; row + 1 < static_cast<Eigen::Index>(contacts.offset.size()); ++row) {
    for (std::int64_t i = contacts.offset[static_cast<std::size_t>(row)];
         i < contacts.offset[static_cast<std::size_t>(row) + 1]; ++i) {
      if (contacts.id[static_cast<std::size_t>(i)] == 1) {
        EXPECT_TRUE(std::isnan(intact(i, 0)));
        continue;
      }
      ++bonds;
      EXPECT_NEAR(jump(i, 0), q(row, 0), 1e-14);
      EXPECT_NEAR(work(i, 0), -file.energy().work_bond[static_cast<std::size_t>(row)], 1e-14);
      last = intact(i, 0);
    }
  }
  EXPECT_GT(bonds, 10);
  EXPECT_EQ(last, 0);
  EXPECT_NEAR(file.energy().work_bond.back(), -0.08, 1e-12);
}

TEST(LawResults, GoOnWithTheSameBits) {
  const Folder folder;
  const std::string scene = folder.write("scene.yaml", kTwo);
  ASSERT_EQ(run_clack({"run", scene, "-o", folder.file("whole")}).status, 0);
  ASSERT_EQ(
      run_clack({"run", scene, "-o", folder.file("parts"), "--set", "simulation.end=0.2"}).status,
      0);
  const Outcome second = run_clack({"run", scene, "-o", folder.file("parts"), "--resume"});
  ASSERT_EQ(second.status, 0) << second.err;
  const ResultsReader whole(folder.file("whole") + "/results.h5"),
      parts(folder.file("parts") + "/results.h5");
  ASSERT_EQ(whole.rows(), parts.rows());
  EXPECT_EQ(whole.q(), parts.q());
  EXPECT_EQ(whole.energy().work_bond, parts.energy().work_bond);
  EXPECT_LT(whole.column("/energy/work_bond")(20, 0), 0);  // in the midst of it
  for (const char* name : {"bond_work", "bond_stored", "bond_dissipated"}) {
    const RowMatrix a = whole.matrix(std::string("/contacts/law/") + name);
    const RowMatrix b = parts.matrix(std::string("/contacts/law/") + name);
    ASSERT_EQ(a.rows(), b.rows());
    for (Eigen::Index i = 0; i < a.rows(); ++i)
      EXPECT_TRUE(a(i, 0) == b(i, 0) || (std::isnan(a(i, 0)) && std::isnan(b(i, 0))));
  }
}

}  // namespace
}  // namespace clack::test
