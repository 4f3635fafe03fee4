#include "clack/app/child_processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "clack/core/error.hpp"

namespace clack::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNoProgram = 127;
constexpr auto kPoll = std::chrono::milliseconds(2);

volatile std::sig_atomic_t interrupted = 0;

// While it lives, SIGINT and SIGTERM only leave a mark: children have groups of their own and
// would outlive a parent that simply died.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = 0;
    struct sigaction mark = {};
    mark.sa_handler = [](int) { interrupted = 1; };
    sigaction(SIGINT, &mark, &old_interrupt_);
    sigaction(SIGTERM, &mark, &old_terminate_);
  }
  ~InterruptGuard() {
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction old_interrupt_, old_terminate_;
};

struct Running {
  int index;
  pid_t id;
  Clock::time_point end;
  ChildJob job;  // keeps alive what the child works on
};

void redirect(int stream, const char* path) {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0) dup2(file, stream);
}

void restore_signals() {
  for (const int number : {SIGINT, SIGTERM}) signal(number, SIG_DFL);
}

[[noreturn]] void be_child(const ChildJob& job) {
  setpgid(0, 0);                     // killed together with what it starts
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // and with its parent
  restore_signals();
  redirect(STDOUT_FILENO, "/dev/null");
  if (!job.errors.empty()) redirect(STDERR_FILENO, job.errors.c_str());
  try {
    job.work();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    std::fflush(stderr);
    _exit(1);
  }
  _exit(0);  // no handlers of the parent's, no flush of its buffers
}

pid_t fork_or_throw() {
  std::fflush(nullptr);
  const pid_t id = fork();
  if (id < 0) throw IoError(fmt::format("no process can be started: {}", std::strerror(errno)));
  return id;
}

Running start(int index, ChildJob job) {
  const pid_t id = fork_or_throw();
  if (id == 0) be_child(job);
  setpgid(id, id);  // here as well: whichever comes first
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(job.limit));
  return {index, id, Clock::now() + limit, std::move(job)};
}

ChildEnd decode(int status) {
  ChildEnd end;
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

ChildEnd kill_group(pid_t id) {
  kill(-id, SIGKILL);
  int status = 0;
  waitpid(id, &status, 0);
  return decode(status);
}

// Whether the child has ended, or was ended here for taking too long.
bool has_ended(const Running& child, ChildEnd& end) {
  int status = 0;
  if (waitpid(child.id, &status, WNOHANG) == child.id) {
    end = decode(status);
    return true;
  }
  if (Clock::now() < child.end) return false;
  end = kill_group(child.id);
  end.timed_out = true;
  return true;
}

}  // namespace

std::string ChildEnd::words() const {
  if (timed_out) return "killed at the time limit";
  if (signal != 0) return fmt::format("signal {} ({})", signal, strsignal(signal));
  return code == 0 ? "ended well" : fmt::format("exit status {}", code);
}

bool run_children(int count, int parallel, const std::function<ChildJob(int)>& make,
                  const std::function<void(int, const ChildEnd&)>& finish) {
  const InterruptGuard guard;
  std::vector<Running> running;
  for (int next = 0; (next < count || !running.empty()) && !interrupted;) {
    while (next < count && static_cast<int>(running.size()) < parallel) {
      running.push_back(start(next, make(next)));
      ++next;
    }
    std::erase_if(running, [&](const Running& child) {
      ChildEnd end;
      if (!has_ended(child, end)) return false;
      finish(child.index, end);
      return true;
    });
    if (static_cast<int>(running.size()) == parallel || next == count)
      std::this_thread::sleep_for(kPoll);
  }
  for (const Running& child : running) kill_group(child.id);
  return !interrupted;
}

ChildEnd run_program(const std::vector<std::string>& words, Errors errors) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t id = fork_or_throw();
  if (id == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    restore_signals();
    redirect(STDOUT_FILENO, "/dev/null");
    if (errors == Errors::discard) redirect(STDERR_FILENO, "/dev/null");
    for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"})
      setenv(name, "1", 1);
    execvp(arguments[0], arguments.data());
    _exit(kNoProgram);
  }
  int status = 0;
  while (waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  return decode(status);
}

}  // namespace clack::app
