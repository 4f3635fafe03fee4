// Work in processes of its own: what crashes or hangs there ends alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace clack::app {

// How a child ended.
struct ChildEnd {
  bool timed_out = false;  // it was killed at its limit
  int code = 0;            // exit status
  int signal = 0;          // not 0: the signal that ended it

  bool good() const { return !timed_out && code == 0 && signal == 0; }
  std::string words() const;
};

struct ChildJob {
  std::function<void()> work;  // runs in the child; an exception ends it with status 1
  double limit = 60;           // [s] by the clock on the wall
  std::string errors;          // file that receives the child's standard error
};

// Runs jobs 0 .. count-1 in forked children, at most `parallel` at a time. `make` is called here
// just before the fork, `finish` here after the end; what `make` captured lives until then.
// SIGINT and SIGTERM kill the running children and end the loop: false.
bool run_children(int count, int parallel, const std::function<ChildJob(int)>& make,
                  const std::function<void(int, const ChildEnd&)>& finish);

// Runs a program to its end, its standard output thrown away, and its standard error too unless it
// is to be kept; one thread for BLAS and OpenMP.
enum class Errors { keep, discard };
ChildEnd run_program(const std::vector<std::string>& words, Errors errors);

}  // namespace clack::app
