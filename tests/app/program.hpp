// Runs the real program and holds what it said.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/folder.hpp"

namespace clack::test {

inline constexpr double kTimeLimit = 60;  // [s], for what hangs: no test depends on the load

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

struct Outcome {
  int status = 0;  // exit status, or minus the signal
  std::string out, err;
  double seconds = 0;
};

inline constexpr int kNoProgram = 127;
inline constexpr uid_t kNobody = 65534;

struct Process {
  pid_t id = 0;

  void kill_now() const { kill(id, SIGKILL); }
  int wait() const {
    int status = 0;
    waitpid(id, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  bool finished(int& status) const {
    int raw = 0;
    if (waitpid(id, &raw, WNOHANG) != id) return false;
    status = WIFEXITED(raw) ? WEXITSTATUS(raw) : -WTERMSIG(raw);
    return true;
  }
};

// Starts a command with stdout and stderr in files.
inline Process start(const std::vector<std::string>& command, const std::string& out,
                     const std::string& err, bool as_nobody = false) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int out_file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int err_file = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const pid_t child = fork();
  if (child == 0) {
    dup2(out_file, STDOUT_FILENO);
    dup2(err_file, STDERR_FILENO);
    if (as_nobody && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(kNoProgram);
    execvp(words[0], words.data());
    _exit(kNoProgram);
  }
  close(out_file);
  close(err_file);
  return {child};
}

// Runs a command to its end; one that takes longer than the limit is killed and has failed.
inline Outcome run_command(const std::vector<std::string>& command, double limit = kTimeLimit,
                           bool as_nobody = false) {
  using Clock = std::chrono::steady_clock;
  const Folder folder;
  const Clock::time_point begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  const Process process = start(command, folder.file("out"), folder.file("err"), as_nobody);
  Outcome outcome;
  while (!process.finished(outcome.status)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (elapsed() < limit) continue;
    process.kill_now();
    outcome.status = process.wait();
    ADD_FAILURE() << command[1] << " was killed after " << elapsed() << " s";
    break;
  }
  outcome.seconds = elapsed();
  outcome.out = read_text(folder.file("out"));
  outcome.err = read_text(folder.file("err"));
  return outcome;
}

inline Outcome run_clack(std::vector<std::string> arguments, double limit = kTimeLimit) {
  arguments.insert(arguments.begin(), CLACK_PROGRAM);
  return run_command(arguments, limit);
}

// A ball on a floor: small, with a contact, friction and a load.
inline const std::string kBall = R"(clack: 1
parameters: {m: 1, g: 9.81}
system:
  type: linear
  coordinates: [x, y]
  M: [[m, 0], [0, m]]
  f: [0, -m*g]
  contacts:
    - {name: floor, G: [0, 1], T: [[1, 0]], mu: 0.3, e_n: 0.5}
initial: {q: [0, 1], v: [1, 0]}
simulation: {step: 0.01, end: 1}
)";

// A sphere above a floor.
inline const std::string kBodies = R"(clack: 1
system:
  type: rigid-bodies
  gravity: [0, 0, -9.81]
  materials: {stone: {density: 2000}}
  bodies:
    - {name: floor, shape: plane, fixed: true}
    - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.2]}
simulation: {step: 0.01, end: 1}
)";

}  // namespace clack::test
