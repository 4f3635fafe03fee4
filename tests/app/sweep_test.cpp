// clack sweep through the program: jobs, kills, parts, messages.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/app/program.hpp"

namespace clack::test {
namespace {

using Json = nlohmann::json;

const std::string kScene = CLACK_SOURCE_DIR "/examples/vibro_impact.yaml";

std::vector<std::string> command(const std::string& folder, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"sweep",
                                    kScene,
                                    "--vary",
                                    "parameters.W=2.4:3:13",
                                    "--section",
                                    "period=2*pi/W",
                                    "--skip-periods",
                                    "40",
                                    "--keep",
                                    "20",
                                    "-o",
                                    folder};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<std::string> kTables = {"sweep.csv", "section.csv", "attractors.csv",
                                          "diagram.svg", "measures.svg"};

void expect_same(const Folder& folder, const std::string& a, const std::string& b) {
  for (const std::string& name : kTables) {
    const std::string text = read_text(folder.file(a + "/" + name));
    EXPECT_FALSE(text.empty()) << name;
    EXPECT_EQ(text, read_text(folder.file(b + "/" + name))) << name;
  }
  EXPECT_EQ(read_text(folder.file(a + "/sweep.h5")), read_text(folder.file(b + "/sweep.h5")));
}

TEST(SweepCommand, tables_are_the_same_whatever_the_number_of_jobs) {
  const Folder folder;
  const Outcome one = run_clack(command(folder.file("one"), {"--jobs", "1", "--json"}));
  ASSERT_EQ(one.status, 0) << one.out << one.err;
  EXPECT_EQ(run_clack(command(folder.file("three"), {"--jobs", "3"})).status, 0);
  expect_same(folder, "one", "three");
  const Json json = Json::parse(lines_of(one.out).back());
  EXPECT_EQ(json["runs"], 13);
  EXPECT_EQ(json["failed"], 0);
  EXPECT_GT(json["attractors"].size(), 1u);
  EXPECT_EQ(lines_of(read_text(folder.file("one/section.csv"))).size(), 1 + 13 * 20u);
}

TEST(SweepCommand, a_killed_sweep_goes_on_to_the_same_tables) {
  const Folder folder;
  for (const char* carry : {"none", "both"}) {
    const std::string whole = folder.file(std::string("whole_") + carry);
    const std::string killed = folder.file(std::string("killed_") + carry);
    ASSERT_EQ(run_clack(command(whole, {"--carry", carry})).status, 0);
    std::vector<std::string> words = command(killed, {"--carry", carry, "--jobs", "2"});
    words.insert(words.begin(), CLACK_PROGRAM);
    const Process process = start(words, folder.file("out"), folder.file("err"));
    int status = 0;
    bool ended = false;
    const auto has_rows = [&] {
      std::error_code code;
      for (const auto& entry : std::filesystem::directory_iterator(killed + "/runs", code))
        if (entry.path().extension() == ".jsonl" && entry.file_size(code) > 0) return true;
      return false;
    };
    while (!has_rows() && !(ended = process.finished(status)))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (!ended) {
      process.kill_now();
      process.wait();
    }
    const Outcome resumed = run_clack(command(killed, {"--carry", carry, "--resume"}));
    ASSERT_EQ(resumed.status, 0) << resumed.out << resumed.err;
    expect_same(folder, std::string("whole_") + carry, std::string("killed_") + carry);
  }
}

TEST(SweepCommand, parts_run_elsewhere_are_gathered_to_the_same_tables) {
  const Folder folder;
  ASSERT_EQ(run_clack(command(folder.file("here"))).status, 0);
  const Outcome emitted =
      run_clack(command(folder.file("there"), {"--emit", "parallel", "--parts", "3"}));
  ASSERT_EQ(emitted.status, 0) << emitted.err;
  const auto jobs = lines_of(read_text(folder.file("there/sweep.txt")));
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_NE(jobs[1].find("--part 1/3"), std::string::npos);
  for (const char* part : {"0/3", "2/3"})
    ASSERT_EQ(run_clack(command(folder.file("there"), {"--part", part})).status, 0);
  const Outcome early = run_clack(command(folder.file("there"), {"--collect", "--json"}));
  EXPECT_EQ(early.status, 1);
  EXPECT_EQ(Json::parse(lines_of(early.out).back())["missing"], 4);
  ASSERT_EQ(run_clack(command(folder.file("there"), {"--part", "1/3"})).status, 0);
  ASSERT_EQ(run_clack(command(folder.file("there"), {"--collect"})).status, 0);
  expect_same(folder, "here", "there");
  ASSERT_EQ(run_clack(command(folder.file("slurm"), {"--emit", "slurm"})).status, 0);
  EXPECT_NE(read_text(folder.file("slurm/sweep.slurm")).find("#SBATCH --array=0-12"),
            std::string::npos);
}

TEST(SweepCommand, two_values_make_maps_and_a_failed_run_is_a_row) {
  const Folder folder;
  const Outcome outcome =
      run_clack({"sweep", kScene, "--vary", "initial.q.0=-1,-0.5", "--vary", "parameters.e=0.5,1.5",
                 "--section", "impact=stop", "--keep", "8", "-o", folder.file("out")});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("FAILED: 2 runs"), std::string::npos) << outcome.out;
  const auto lines = lines_of(read_text(folder.file("out/sweep.csv")));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_NE(lines[3].find("bad_input"), std::string::npos) << lines[3];
  EXPECT_NE(lines[3].find("e_n"), std::string::npos) << lines[3];
  EXPECT_NE(read_text(folder.file("out/map_largest_speed.svg")).find("largest speed [m/s]"),
            std::string::npos);
}

TEST(SweepCommand, bad_input_has_one_clear_message) {
  const Folder folder;
  const auto expect = [&](const std::vector<std::string>& more, const std::string& message) {
    const Outcome outcome = run_clack(command(folder.file("out"), more));
    EXPECT_EQ(outcome.status, 2) << outcome.out << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  };
  expect({"--part", "3/3"}, "K/N");
  expect({"--collect", "--emit", "slurm"}, "do not go together");
  expect({"--collect"}, "no sweep to collect");
  expect({"--vary", "parameters.W=1,2"}, "named twice");
  ASSERT_EQ(run_clack(command(folder.file("out"), {"--part", "0/13"})).status, 0);
  expect({"--resume", "--carry", "up"}, "other options");
}

}  // namespace
}  // namespace clack::test
