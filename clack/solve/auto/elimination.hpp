// The order in which the contacts of an island are eliminated: fronts of a multifrontal method.
//
// Contacts with the same neighbours (several points between two bodies) are merged first, the rest
// is ordered by approximate minimum degree, and small fronts are amalgamated into their parents.
#pragma once

#include <span>
#include <vector>

namespace clack {

// Contacts are counted by their place in the order of elimination.
struct Front {
  int first, last;  // eliminated here: [first, last)
  int border_begin,
      border_end;   // in Elimination::border: contacts that are coupled by it, all later
  int parent = -1;  // index of the front that eliminates the first of the border
  int children = 0;
  int depth = 0;  // of the tree, 0 at its roots
};

struct Elimination {
  std::vector<int> order;     // the contact at each place
  std::vector<Front> fronts;  // children right before parents
  std::vector<int> border;    // ascending in each front
  double flops = 0;           // multiply-adds of one factorisation with all contacts active

  std::span<const int> border_of(const Front& front) const {
    return {border.data() + front.border_begin,
            static_cast<std::size_t>(front.border_end - front.border_begin)};
  }
};

// The graph by rows: neighbours of contact i are column[begin[i] .. begin[i+1]), i itself included.
// `dim` is the number of rows a contact has, for the flop count and the amalgamation.
Elimination plan_elimination(std::span<const int> begin, std::span<const int> column, int dim);

// Groups of contacts with equal closed neighbourhoods: the group of each contact, counted from 0 in
// the order of their first members. `column` ascending in each row.
std::vector<int> find_twins(std::span<const int> begin, std::span<const int> column);

}  // namespace clack
