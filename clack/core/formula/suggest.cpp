#include "clack/core/formula/suggest.hpp"

#include <algorithm>
#include <vector>

namespace clack::formula {
namespace {

constexpr std::size_t kMaxListed = 20;
constexpr std::size_t kMaxCompared = 64;  // names longer than this are no misspellings

// Damerau-Levenshtein distance (optimal string alignment) with three rows.
std::size_t edit_distance(std::string_view x, std::string_view y) {
  std::vector<std::size_t> older(y.size() + 1), old(y.size() + 1), row(y.size() + 1);
  for (std::size_t j = 0; j <= y.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= x.size(); ++i) {
    older.swap(old);
    old.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= y.size(); ++j) {
      row[j] = std::min({old[j] + 1, row[j - 1] + 1, old[j - 1] + (x[i - 1] != y[j - 1])});
      const bool swapped = i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1];
      if (swapped) row[j] = std::min(row[j], older[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.size() > kMaxCompared) return {};
  std::string_view best;
  std::size_t smallest = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kMaxCompared) continue;
    const std::size_t distance = edit_distance(name, candidate);
    // Every one-letter name is one edit from every other: that is no likeness.
    if (distance < smallest && distance < std::max(name.size(), candidate.size())) {
      smallest = distance;
      best = candidate;
    }
  }
  return best;
}

std::string list_names(std::span<const std::string_view> names) {
  if (names.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxListed); ++i) {
    if (i > 0) text += ", ";
    text += names[i];
  }
  return names.size() > kMaxListed ? text + ", ..." : text;
}

}  // namespace clack::formula
