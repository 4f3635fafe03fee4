// Names of a world's numbers in the formulas of measures.
#pragma once

#include <vector>

#include "clack/io/scene/world_reader.hpp"
#include "clack/model/bodies/world_quantity.hpp"

namespace clack {

// Finds the quantities that formulas name, each once. Thousands of bodies have many names; only
// those in use become variables.
class QuantityReader {
 public:
  QuantityReader(Vocabulary& vocabulary, const NamedWorld& world)
      : vocabulary_(vocabulary), world_(world) {}

  // Names with a meaning of their own, beside quantities.
  void add_known(const formula::Names& names) { known_.insert(names.begin(), names.end()); }
  // The names of `formula`'s text: parameters, t and quantities.
  formula::Names names(const Field& formula);

  formula::Expr t();
  const std::vector<formula::Expr>& variables() const { return variables_; }
  const std::vector<WorldQuantity>& quantities() const { return quantities_; }

 private:
  bool find(const std::string& name, WorldQuantity& quantity) const;
  bool find_of_joint(const std::string& name, WorldQuantity& quantity) const;
  std::map<std::string, int>::const_iterator find_body(const std::string& name) const;

  Vocabulary& vocabulary_;
  const NamedWorld& world_;
  std::map<std::string, formula::Expr> known_;
  std::vector<formula::Expr> variables_;
  std::vector<WorldQuantity> quantities_;
};

}  // namespace clack
