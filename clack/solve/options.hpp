// Options of a solver given as text, `key=value`, read into its struct; unknown keys are refused.
#pragma once

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace clack {

using OptionSet = std::map<std::string, std::string, std::less<>>;

class OptionReader {
 public:
  OptionReader(std::string_view solver, const OptionSet& options)
      : solver_(solver), options_(options) {}

  // Each leaves `value` alone where the key is not given and throws InputError on a bad value.
  void read(std::string_view key, double& value);
  void read(std::string_view key, int& value);
  void read(std::string_view key, bool& value);  // true or false
  // The index of the word given, among the words allowed.
  void read_choice(std::string_view key, std::initializer_list<std::string_view> words, int& index);
  // Throws InputError if a key was given that nothing has read.
  void finish() const;

 private:
  const std::string* find(std::string_view key);
  [[noreturn]] void refuse(std::string_view key, const std::string& value,
                           std::string_view allowed) const;

  std::string solver_;
  const OptionSet& options_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace clack
