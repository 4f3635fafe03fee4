// The order in which the contacts of an island are eliminated: fronts of a multifrontal method.
//
// Contacts with the same neighbours (several points between two bodies) are merged first, the rest is
// ordered by approximate minimum degree, and small fronts are amalgamated into their parents.
#pragma once

#include <span>
#include <vector>

namespace clack {

struct Front {
  std::vector<int> pivots;  // contacts eliminated here
  std::vector<int> border;  // contacts that its elimination couples, all eliminated later
  int parent = -1;          // index of the front that eliminates the first of the border
};

struct Elimination {
  std::vector<Front> fronts;  // children before parents
  double flops = 0;           // multiply-adds of one factorisation with all contacts active
  int largest = 0;            // contacts in the largest front
};

// The graph by rows: neighbours of contact i are column[begin[i] .. begin[i+1]), i itself included.
// `dim` is the number of rows a contact has, for the flop count and the amalgamation.
Elimination plan_elimination(std::span<const int> begin, std::span<const int> column, int dim);

}  // namespace clack
