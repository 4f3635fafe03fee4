// clack report, view and convert as programs: what they write, what they say, how they end.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/app/program.hpp"

namespace clack::test {
namespace {

bool built_without_page(const Outcome& outcome) {
  return outcome.err.find("built without the report page") != std::string::npos;
}

TEST(Report, OfASystemAndOfBodiesIsOnePageThatSaysItsSize) {
  const Folder folder;
  for (const auto& [name, scene] : {std::pair{"ball", kBall}, std::pair{"bodies", kBodies}}) {
    const std::string out = folder.file(name);
    run_clack({"run", folder.write(std::string(name) + ".yaml", scene), "-o", out});
    const Outcome outcome = run_clack({"report", out});
    if (built_without_page(outcome)) GTEST_SKIP() << outcome.err;
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("report.html: "), std::string::npos);
    EXPECT_NE(outcome.out.find(" MB of at most 15 MB"), std::string::npos);
    const std::string page = read_text(std::filesystem::path(out) / "report.html");
    EXPECT_NE(page.find("id=\"clack-head\""), std::string::npos);
    EXPECT_EQ(page.find("src=\"http"), std::string::npos);
  }
}

TEST(Report, SaysWhatIsWrongWithItsInput) {
  const Folder folder;
  const Outcome none = run_clack({"report", folder.file("none")});
  EXPECT_EQ(none.status, 3);
  EXPECT_NE(none.err.find("no such folder"), std::string::npos) << none.err;
  const Outcome empty = run_clack({"report", folder.path().string()});
  EXPECT_EQ(empty.status, 2);
  EXPECT_NE(empty.err.find("holds no results.h5"), std::string::npos) << empty.err;
  folder.write("results.h5", "not HDF5");
  const Outcome text = run_clack({"report", folder.path().string()});
  EXPECT_EQ(text.status, 2);
  EXPECT_NE(text.err.find("not an HDF5 file"), std::string::npos) << text.err;
  for (const Outcome* outcome : {&none, &empty, &text})
    EXPECT_EQ(lines_of(outcome->err).size(), 1u);
  EXPECT_EQ(run_clack({"report", folder.path().string(), "--max-size", "-1"}).status, 2);
}

TEST(Report, ThatCannotBeWrittenIsAnInputOutputError) {
  const Folder folder;
  const std::string out = folder.file("out");
  run_clack({"run", folder.write("s.yaml", kBall), "-o", out});
  const Outcome outcome = run_clack({"report", out, "-o", folder.file("none/page.html")});
  if (built_without_page(outcome)) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.err.find("cannot be written"), std::string::npos);
  const Outcome named = run_clack({"report", out, "--coordinates", "nowhere"});
  EXPECT_EQ(named.status, 2);
  EXPECT_NE(named.err.find("no coordinate or velocity 'nowhere'"), std::string::npos) << named.err;
}

TEST(View, SaysThatAPortIsTaken) {
  const Folder folder;
  const std::string out = folder.file("out");
  run_clack({"run", folder.write("s.yaml", kBall), "-o", out});
  const int taken = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(taken, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(taken, 1), 0);
  ASSERT_EQ(getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const Outcome outcome =
      run_clack({"view", out, "--port", std::to_string(ntohs(address.sin_port))});
  close(taken);
  if (outcome.err.find("built without") != std::string::npos) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.err.find("cannot be had"), std::string::npos) << outcome.err;
}

TEST(Convert, TakesResultsToVtkAndCsvByTheNameOfTheOutput) {
  const Folder folder;
  const std::string out = folder.file("out");
  run_clack({"run", folder.write("s.yaml", kBodies), "-o", out});
  const Outcome vtk = run_clack({"convert", out, folder.file("x.pvd"), "--every", "50"});
  EXPECT_EQ(vtk.status, 0) << vtk.err;
  EXPECT_NE(vtk.out.find("3 rows"), std::string::npos) << vtk.out;
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "x" / "bodies_000100.vtp"));
  const Outcome csv = run_clack({"convert", out + "/results.h5", folder.file("x.csv")});
  EXPECT_EQ(csv.status, 0) << csv.err;
  EXPECT_EQ(lines_of(read_text(folder.file("x.csv"))).size(), 102u);
  const Outcome other = run_clack({"convert", out, folder.file("x.xyz")});
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find(".pvd (VTK) or .csv"), std::string::npos) << other.err;
}

}  // namespace
}  // namespace clack::test
