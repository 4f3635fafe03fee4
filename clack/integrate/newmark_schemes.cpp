// The members of Newmark's family: their parameters and what each of them accepts.
#include <fmt/format.h>

#include "clack/core/error.hpp"
#include "clack/integrate/newmark.hpp"

namespace clack {
namespace {

double default_beta(double gamma) { return 0.25 * (gamma + 0.5) * (gamma + 0.5); }

AlphaParameters newmark_parameters(const SchemeOptions& o) {
  AlphaParameters p;
  const double rho = o.rho_inf.value_or(1);
  p.gamma = o.newmark_gamma.value_or((3 - rho) / (2 * (1 + rho)));
  p.beta = o.beta.value_or(default_beta(p.gamma));
  return p;
}

AlphaParameters hht_parameters(const SchemeOptions& o) {
  AlphaParameters p;
  const double rho = o.rho_inf.value_or(0.8);
  p.alpha_f = o.alpha_f.value_or((1 - rho) / (1 + rho));
  p.gamma = o.newmark_gamma.value_or(0.5 + p.alpha_f);
  p.beta = o.beta.value_or(default_beta(p.gamma));
  if (!(p.alpha_f <= 1.0 / 3)) {
    throw InputError(fmt::format(
        "HHT's alpha is {:.6g}; it must be in [0, 1/3], that is rho_inf in [1/2, 1]", p.alpha_f));
  }
  return p;
}

AlphaParameters generalized_parameters(const SchemeOptions& o) {
  AlphaParameters p;
  const double rho = o.rho_inf.value_or(0.8);
  p.alpha_m = o.alpha_m.value_or((2 * rho - 1) / (rho + 1));
  p.alpha_f = o.alpha_f.value_or(rho / (rho + 1));
  p.gamma = o.newmark_gamma.value_or(0.5 + p.alpha_f - p.alpha_m);
  p.beta = o.beta.value_or(default_beta(p.gamma));
  return p;
}

}  // namespace

Newmark::Newmark(const SchemeOptions& o)
    : NewmarkFamily(o, newmark_parameters(o), sequence_of(o)) {}
Hht::Hht(const SchemeOptions& o) : NewmarkFamily(o, hht_parameters(o), sequence_of(o)) {}
GeneralizedAlpha::GeneralizedAlpha(const SchemeOptions& o)
    : NewmarkFamily(o, generalized_parameters(o), sequence_of(o)) {}
NaiveHht::NaiveHht(const SchemeOptions& o)
    : NewmarkFamily(o, hht_parameters(o),
                    {o.constraints == ConstraintLevel::position ? Kind::naive_position
                                                                : Kind::naive_velocity}) {}

void NaiveHht::check(const ContactSet&) const {
  const ConstraintLevel level = options().constraints;
  if (level == ConstraintLevel::velocity || level == ConstraintLevel::position) return;
  throw InputError("scheme 'naive-hht' takes constraints: velocity or position, one level alone");
}

}  // namespace clack
