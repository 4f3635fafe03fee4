// Children that crash, throw or hang end alone.
#include "clack/app/child_processes.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "program.hpp"

namespace clack::app {
namespace {

using test::Folder;

void hang() {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

std::vector<ChildEnd> run_all(const std::vector<ChildJob>& jobs, int parallel) {
  std::vector<ChildEnd> ends(jobs.size());
  const auto make = [&](int k) { return jobs[static_cast<std::size_t>(k)]; };
  const auto finish = [&](int k, const ChildEnd& end) { ends[static_cast<std::size_t>(k)] = end; };
  EXPECT_TRUE(run_children(static_cast<int>(jobs.size()), parallel, make, finish));
  return ends;
}

TEST(Children, EndEachInItsOwnWay) {
  const Folder folder;
  const auto good = [&] { folder.write("good", "done"); };
  const auto thrown = [] { throw std::runtime_error("the reason"); };
  const std::vector<ChildEnd> ends = run_all({{[] { std::abort(); }, 20, folder.file("e0")},
                                              {hang, 0.2, folder.file("e1")},
                                              {thrown, 20, folder.file("e2")},
                                              {good, 20, folder.file("e3")}},
                                             2);
  EXPECT_EQ(ends[0].signal, SIGABRT);
  EXPECT_FALSE(ends[0].timed_out);
  EXPECT_TRUE(ends[1].timed_out);
  EXPECT_EQ(ends[2].code, 1);
  EXPECT_EQ(test::read_text(folder.file("e2")), "the reason\n");
  EXPECT_TRUE(ends[3].good());
  EXPECT_EQ(test::read_text(folder.file("good")), "done");
}

TEST(Children, ThatHangTakeWhatTheyStartedWithThem) {
  const Folder folder;
  const auto work = [&] {
    (void)run_program({"sh", "-c", "echo $$ > " + folder.file("id") + "; exec sleep 1000"},
                      Errors::discard);
  };
  const std::vector<ChildEnd> ends = run_all({{work, 1.0, ""}}, 1);
  EXPECT_TRUE(ends[0].timed_out);
  const int grandchild = std::atoi(test::read_text(folder.file("id")).c_str());
  ASSERT_GT(grandchild, 0);
  for (int k = 0; k < 500 && kill(grandchild, 0) == 0; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_NE(kill(grandchild, 0), 0);
}

TEST(Children, RunOneAfterTheOtherWhereOneIsAllowed) {
  const Folder folder;
  const auto work = [&] {  // two at a time would find the folder of the other
    if (!std::filesystem::create_directory(folder.file("busy"))) throw std::runtime_error("busy");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::filesystem::remove(folder.file("busy"));
  };
  for (const ChildEnd& end : run_all(std::vector<ChildJob>(4, {work, 60, ""}), 1))
    EXPECT_TRUE(end.good()) << end.words();
}

TEST(Children, RunAsManyAtATimeAsAllowed) {
  const Folder folder;
  const auto meet = [&] {  // ends only when all four are there
    folder.write(std::to_string(getpid()), "");
    while (std::distance(std::filesystem::directory_iterator(folder.path()), {}) < 4)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  for (const ChildEnd& end : run_all(std::vector<ChildJob>(4, {meet, 60, ""}), 4))
    EXPECT_TRUE(end.good()) << end.words();
}

TEST(Programs, ReturnTheirStatus) {
  EXPECT_TRUE(run_program({"true"}, Errors::discard).good());
  EXPECT_EQ(run_program({"sh", "-c", "exit 7"}, Errors::discard).code, 7);
  EXPECT_EQ(run_program({"sh", "-c", "kill -ABRT $$"}, Errors::discard).signal, SIGABRT);
  EXPECT_FALSE(run_program({"/no/such/program"}, Errors::discard).good());
}

}  // namespace
}  // namespace clack::app
