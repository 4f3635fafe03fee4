#include "clack/io/problems/fclib_layout.hpp"

#include <algorithm>

namespace clack {
namespace {

bool is_equality(const Cone& cone) { return cone.is_free() && cone.dim() == 1; }

// FCLIB keeps only V of the coupling with equalities: the other half must be its transpose.
bool is_coupling_symmetric(const BlockSparse& W, int contact_rows) {
  const SparseMatrix whole = W.to_sparse();
  const int rest = static_cast<int>(whole.rows()) - contact_rows;
  const SparseMatrix V = whole.block(0, contact_rows, contact_rows, rest);
  const SparseMatrix lower = whole.block(contact_rows, 0, rest, contact_rows);
  const SparseMatrix difference = V - SparseMatrix(lower.transpose());
  return difference.norm() == 0;
}

}  // namespace

std::string FclibLayout::group() const {
  const std::string form_name = form == ProblemForm::reduced ? "local" : "global";
  if (mixed()) return "/clack_" + form_name;
  return "/fclib_" + form_name + (rolling() ? "_rolling" : "");
}

FclibLayout choose_layout(const ProblemData& problem) {
  FclibLayout layout{problem.form, 0, problem.contacts(), 0};
  const auto& cones = problem.cones;
  const auto behind = std::ranges::find_if(cones, [](const Cone& c) { return c.is_free(); });
  const bool uniform = std::all_of(cones.begin(), behind, [&](const Cone& cone) {
    return is_contact_cone(cone) && cone.dim() == cones.front().dim();
  });
  if (!uniform || !std::all_of(behind, cones.end(), is_equality)) return layout;
  const int contacts = static_cast<int>(behind - cones.begin());
  if (contacts == 0 && !cones.empty()) return layout;
  const int equalities = problem.contacts() - contacts;
  const int rows = problem.offset[static_cast<std::size_t>(contacts)];
  const bool representable = equalities == 0 || problem.form == ProblemForm::global ||
                             is_coupling_symmetric(problem.W, rows);
  if (!representable) return layout;
  layout.spacedim = cones.empty() ? 3 : cones.front().dim();
  layout.contacts = contacts;
  layout.equalities = equalities;
  return layout;
}

Cone make_contact_cone(int dim, double mu, double mu_r) {
  if (dim == 1) return Cone::nonnegative();
  return dim == 5 ? Cone::rolling(mu, mu_r) : Cone::coulomb(dim, mu);
}

bool is_contact_cone(const Cone& cone) {
  const int dim = cone.dim();
  if (dim == 4 || dim == 6) return false;
  return cone == make_contact_cone(dim, cone.mu(), cone.disc(1).radius);
}

}  // namespace clack
