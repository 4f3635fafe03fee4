// What is left of a results file when the run, the disk or the permissions end.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "results_support.hpp"

namespace clack::test {
namespace {

// Memory that parent and child both see.
struct Progress {
  std::atomic<std::int64_t> published{-1};  // stored after the writer said so
  std::atomic<std::int64_t> appended{0};    // stored before the row is handed over
};

class SharedProgress {
 public:
  SharedProgress()
      : memory_(mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                     -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::runtime_error("mmap failed");
    new (memory_) Progress;
  }
  ~SharedProgress() { munmap(memory_, sizeof(Progress)); }
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;
  Progress* operator->() const { return static_cast<Progress*>(memory_); }

 private:
  void* memory_;
};

[[noreturn]] void write_forever(const std::string& path, const SharedProgress& progress) {
  ResultsWriter writer(path, test_header(16), {0.002});
  TestRow row;
  progress->published = 0;
  for (std::int64_t k = 0;; ++k) {
    progress->appended = k + 1;
    writer.append(row.at(k));
    progress->published = writer.published_rows();
  }
}

template <class Work>
pid_t start_child(Work work) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    work();
  } catch (...) {
    _exit(99);
  }
  _exit(0);
}

int exit_status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(KilledRun, LeavesAReadableFileWithEveryPublishedRow) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  std::int64_t most_rows = 0;
  unsigned random = 12345;
  for (int kill_count = 0; kill_count < 20; ++kill_count) {
    random = random * 1103515245U + 12345U;
    const auto delay = std::chrono::microseconds((random >> 16) % 60000);
    const SharedProgress progress;
    const pid_t child = start_child([&] { write_forever(path, progress); });
    while (progress->published < 0) std::this_thread::yield();
    std::this_thread::sleep_for(delay);
    kill(child, SIGKILL);
    ASSERT_EQ(exit_status_of(child), -SIGKILL);
    const ResultsReader reader(path);
    ASSERT_GE(reader.rows(), progress->published);
    ASSERT_LE(reader.rows(), progress->appended);
    expect_test_rows(reader);
    most_rows = std::max(most_rows, reader.rows());
  }
  EXPECT_GT(most_rows, 1000) << "the kills came before any work";
}

TEST(KilledRun, WhileItCreatesTheFileLeavesTheOldOrTheNewOne) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  for (int kill_count = 0; kill_count < 40; ++kill_count) {
    ResultsWriter old(path, test_header(10));
    write_test_rows(old, 0, 10);
    old.finish();
    const SharedProgress progress;
    const pid_t child = start_child([&] { write_forever(path, progress); });
    std::this_thread::sleep_for(std::chrono::microseconds(100 * kill_count));
    kill(child, SIGKILL);
    ASSERT_EQ(exit_status_of(child), -SIGKILL);
    expect_test_rows(ResultsReader(path));
  }
}

TEST(KilledRun, LeftoversDoNotDisturbTheNextRun) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  std::ofstream(path) << "remains of something";
  std::ofstream(path + ".tmp") << std::string(100000, 'x');
  ResultsWriter writer(path, test_header(10));
  write_test_rows(writer, 0, 100);
  writer.finish();
  expect_test_rows(ResultsReader(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
}

// A limit on the file's size fails in the same calls as a full disk.
void limit_file_size(rlim_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &limit);
}

// Appends rows from `first` on and says whether they ended in the IoError that they should.
bool append_until_full(ResultsWriter& writer, std::int64_t first, const SharedProgress& progress) {
  TestRow row;
  try {
    for (std::int64_t k = first; k < 100000; ++k) {
      writer.append(row.at(k));
      progress->published = writer.published_rows();
    }
  } catch (const IoError& error) {
    const std::string message = error.what();
    return message.find(writer.path()) != std::string::npos &&
           message.find("File too large") != std::string::npos;
  }
  return false;
}

void expect_published_rows(const std::string& path, const SharedProgress& progress) {
  const ResultsReader reader(path);
  EXPECT_GE(reader.rows(), progress->published);
  EXPECT_GE(reader.rows(), 50);
  expect_test_rows(reader);
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
}

TEST(FullDisk, WhileTheFileGrowsIsAnIoErrorAndKeepsTheRowsPublishedBefore) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  const SharedProgress progress;
  const pid_t child = start_child([&] {
    limit_file_size(600000);
    ResultsWriter writer(path, test_header(16), {0});
    if (!append_until_full(writer, 0, progress)) _exit(3);
  });
  ASSERT_EQ(exit_status_of(child), 0);
  expect_published_rows(path, progress);
}

TEST(FullDisk, WhileRowsAreWrittenIsAnIoErrorAndKeepsTheRowsPublishedBefore) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  const SharedProgress progress;
  const pid_t child = start_child([&] {
    ResultsWriter writer(path, test_header(100000), {0});
    write_test_rows(writer, 0, 50);
    limit_file_size(600000);  // the places of most columns are behind it
    if (!append_until_full(writer, 50, progress)) _exit(3);
    limit_file_size(RLIM_INFINITY);
    try {
      write_test_rows(writer, 51, 52);
    } catch (const IoError&) {
      return;  // refused: what is left of the last row is not known
    }
    _exit(4);
  });
  ASSERT_EQ(exit_status_of(child), 0);
  expect_published_rows(path, progress);
}

TEST(FullDisk, AtTheStartIsAnIoErrorAndLeavesNothing) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  const pid_t child = start_child([&] {
    limit_file_size(600000);
    try {
      const ResultsWriter writer(path, test_header(1000000));
    } catch (const IoError&) {
      _exit(42);
    }
  });
  ASSERT_EQ(exit_status_of(child), 42);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(UnwritableDirectory, IsAnIoErrorThatSaysSo) {
  const Folder directory;
  const std::string path = directory.file("results.h5");
  std::filesystem::permissions(
      directory.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const pid_t child = start_child([&] {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && seteuid(kNobody) != 0) _exit(7);  // permissions do not bind root
    try {
      ResultsWriter(path, test_header(10));
    } catch (const IoError& error) {
      const std::string message = error.what();
      _exit(message.find("Permission denied") != std::string::npos ? 42 : 43);
    }
  });
  EXPECT_EQ(exit_status_of(child), 42);
}

}  // namespace
}  // namespace clack::test
