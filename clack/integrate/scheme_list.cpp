// All schemes by name, with what a user wants to know of them.
#include <fmt/format.h>

#include <string>

#include "clack/core/error.hpp"
#include "clack/integrate/moreau_midpoint.hpp"
#include "clack/integrate/statics.hpp"
#include "clack/integrate/theta_scheme.hpp"

namespace clack {
namespace {

template <class S>
std::unique_ptr<Scheme> make(const SchemeOptions& options) {
  return std::make_unique<S>(options);
}

}  // namespace

const std::vector<SchemeInfo>& scheme_list() {
  static const std::vector<SchemeInfo> list = {
      {"moreau-jean", "theta scheme with contact on velocities", "theta, gamma",
       "first order through impacts; dissipates for 1/2 <= theta <= 1/(1+e)",
       "Jean, Moreau (1987); Moreau (1988); Jean (1999)", make<MoreauJean>},
      {"moreau-jean-dissipative", "theta scheme whose position moves with the mean velocity",
       "theta, gamma", "first order; dissipates for every theta >= 1/2 and every e",
       "Acary (2016)", make<MoreauJeanDissipative>},
      {"moreau-midpoint", "Moreau's midpoint rule, explicit in the forces", "-",
       "first order through impacts; stable for h omega < 2", "Moreau (1988)",
       make<MoreauMidpoint>},
      {"statics", "equilibrium with frictionless contact at each instant", "-", "gap >= 0",
       "Signorini (1959)", make<Statics>},
  };
  return list;
}

std::unique_ptr<Scheme> make_scheme(std::string_view name, const SchemeOptions& options) {
  std::string known;
  for (const SchemeInfo& info : scheme_list()) {
    if (info.name == name) return info.make(options);
    known += fmt::format(" {}", info.name);
  }
  throw InputError(fmt::format("unknown scheme '{}'; known:{}", name, known));
}

}  // namespace clack
