#include "clack/integrate/constraint_matrix.hpp"

#include "clack/assemble/iteration_matrix.hpp"

namespace clack {
namespace {

// What touches is no constraint.
std::vector<std::unique_ptr<ContactSource>> sources_of(const System& system) {
  auto sources = make_contact_sources(system);
  if (system.bodies()) sources.erase(sources.begin());
  return sources;
}

// First of each source, then the number of all.
template <class Count>
std::vector<int> begins(const std::vector<std::unique_ptr<ContactSource>>& sources, Count&& count) {
  std::vector<int> begin{0};
  for (const auto& source : sources) {
    int own = 0;
    for (const Contact& contact : source->contacts()) own += count(contact);
    begin.push_back(begin.back() + own);
  }
  return begin;
}

}  // namespace

ConstraintMatrix::ConstraintMatrix(const System& system, const State& start)
    : system_(system),
      sources_(sources_of(system)),
      contact_begin_(begins(sources_, [](const Contact&) { return 1; })),
      row_begin_(begins(sources_, [](const Contact& contact) { return contact.dim(); })),
      gap_(contact_begin_.back()),
      all_w_(row_begin_.back()),
      H_(system.nv(), row_begin_.back(), true),
      M_(system.nv(), system.is_sparse()) {
  int contact = 0, row = 0;
  for (const auto& source : sources_) {
    (void)source->find(start.t, start.q, start.v, 0);
    for (const Contact& x : source->contacts()) {
      if (x.bilateral) {
        list_.push_back(x);
        contacts_.push_back(contact);
        columns_.push_back(row);
      }
      ++contact;
      row += x.dim();
    }
  }
  w_.resize(count());
}

void ConstraintMatrix::gaps(double t, ConstVectorRef q, VectorRef values) {
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const int begin = contact_begin_[s], size = contact_begin_[s + 1] - begin;
    sources_[s]->gaps(t, q, gap_.segment(begin, size));
  }
  for (int i = 0; i < count(); ++i) values[i] = gap_[contacts_[static_cast<std::size_t>(i)]];
}

bool ConstraintMatrix::linearise(double t, ConstVectorRef q) {
  H_.clear();
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const int begin = row_begin_[s], size = row_begin_[s + 1] - begin;
    sources_[s]->map(t, q, begin, H_, all_w_.segment(begin, size));
  }
  G_ = H_.columns(columns_);
  for (int i = 0; i < count(); ++i) w_[i] = all_w_[columns_[static_cast<std::size_t>(i)]];
  evaluate_mass(system_, t, q, M_);
  mass_ = M_.is_sparse() ? M_.sparse() : SparseMatrix(M_.dense().sparseView());
  factor_.compute(mass_);
  if (factor_.info() != Eigen::Success) return false;
  moved_ = factor_.solve(G_);
  S_ = SparseMatrix(G_.transpose()) * moved_;
  for (int i = 0; i < S_.rows(); ++i) {
    if (!(S_.coeff(i, i) > 0)) return false;
  }
  return true;
}

}  // namespace clack
