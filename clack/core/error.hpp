// What the library throws. Bad input is an exception raised at load; numerical failure is a status.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace clack {

// Bad input: a file, a field or an option that cannot be accepted (exit status 2 of the program).
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A file that cannot be read or written (exit status 3 of the program).
class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace clack
