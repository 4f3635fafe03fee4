// The commands of the program; each returns the exit status.
#pragma once

#include <string>
#include <vector>

namespace clack::app {

// Exit status: 0 done; 1 numerical failure, what was computed is kept; 2 bad input; 3 input/output.
inline constexpr int kDone = 0, kNumericalFailure = 1, kBadInput = 2, kIoFailure = 3;

struct RunArguments {
  std::string scene;
  std::string folder;               // empty: out/NAME
  std::vector<std::string> set;     // path=value
  bool json = false;
};
int run(const RunArguments& arguments);

int check(const std::string& scene, const std::vector<std::string>& set);

int list(const std::string& what);

}  // namespace clack::app
