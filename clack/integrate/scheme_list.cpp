// All schemes by name, with what a user wants to know of them.
#include <fmt/format.h>

#include <string>

#include "clack/core/error.hpp"
#include "clack/integrate/event_driven.hpp"
#include "clack/integrate/moreau_midpoint.hpp"
#include "clack/integrate/newmark.hpp"
#include "clack/integrate/projection.hpp"
#include "clack/integrate/rattle.hpp"
#include "clack/integrate/statics.hpp"
#include "clack/integrate/stewart_trinkle.hpp"
#include "clack/integrate/theta_scheme.hpp"
#include "clack/integrate/two_step.hpp"

namespace clack {
namespace {

template <class S>
std::unique_ptr<Scheme> make(const SchemeOptions& options) {
  return std::make_unique<S>(options);
}

}  // namespace

const std::vector<SchemeInfo>& scheme_list() {
  static const std::vector<SchemeInfo> list = {
      {"moreau-jean", "theta scheme with contact on velocities",
       "first order through impacts; dissipates for 1/2 <= theta <= 1/(1+e)",
       "Jean, Moreau (1987); Moreau (1988); Jean (1999)", make<MoreauJean>},
      {"moreau-jean-dissipative", "theta scheme whose position moves with the mean velocity",
       "first order; dissipates for every theta >= 1/2 and every e", "Acary (2016)",
       make<MoreauJeanDissipative>},
      {"moreau-midpoint", "Moreau's midpoint rule, explicit in the forces",
       "first order through impacts; stable for h omega < 2", "Moreau (1988)",
       make<MoreauMidpoint>},
      {"moreau-direct-projection", "moreau-jean, then positions pushed out of closed contacts",
       "first order; gap >= 0 and constraints exact at grid points", "Acary (2013)",
       make<MoreauDirectProjection>},
      {"moreau-combined-projection",
       "moreau-jean on the contacts that would close, which end with gap = 0",
       "first order; gap >= 0 and constraints exact at grid points", "Acary (2013)",
       make<MoreauCombinedProjection>},
      {"schatzman-paoli", "two-step scheme with contact and restitution on positions",
       "first order; gap(q+) + e gap(q-) >= 0; for e > 0 one contact at a time",
       "Schatzman, Paoli (2002)", make<SchatzmanPaoli>},
      {"newmark", "nonsmooth Newmark: second order in smooth motion, impulses apart",
       "dissipates its own energy for 2 beta >= newmark_gamma >= 1/2 (linear systems)",
       "Chen, Acary, Virlez, Bruls (2013); Acary (2016)", make<Newmark>},
      {"hht", "nonsmooth Hilber-Hughes-Taylor, alpha = alpha_f",
       "second order in smooth motion; dissipates its own energy for 2 beta >= newmark_gamma >= "
       "1/2, "
       "alpha <= newmark_gamma - 1/2 (linear systems)",
       "Chen, Acary, Virlez, Bruls (2013); Acary (2016)", make<Hht>},
      {"generalized-alpha", "nonsmooth generalised-alpha with a chosen spectral radius",
       "second order in smooth motion; high frequencies damped to rho_inf a step; "
       "constraints: position-velocity keeps gap >= 0",
       "Chen, Acary, Virlez, Bruls (2013); Bruls, Acary, Cardona (2018)", make<GeneralizedAlpha>},
      {"naive-hht", "COUNTER-EXAMPLE: HHT with contact forces as if they were smooth",
       "none: not consistent at impacts unless newmark_gamma = 1, alpha = 0", "Chen et al. (2013)",
       make<NaiveHht>},
      {"rattle", "two stages: contact on positions, then on velocities with the impact law",
       "second order in smooth motion, rolling included, first through impacts; gap >= 0 and "
       "constraints exact on both levels",
       "Breuling, Capobianco, Eugster, Leine (2024)", make<Rattle>},
      {"semi-implicit-2", "explicit Euler with the law on the end velocity (Hessenberg index 2)",
       "first order; explicit, for damped or short motions", "Leine (2024)", make<SemiImplicit2>},
      {"semi-implicit-3", "explicit forces, contact on positions (Hessenberg index 3), e = 0",
       "first order; gap >= 0; stable for h omega < 2", "Leine (2024)", make<SemiImplicit3>},
      {"central-differences",
       "explicit second differences with implicit contact on positions, e = 0",
       "second order in smooth motion, first through impacts; gap >= 0; stable for h omega < 2",
       "Legrand, Laxalde (2011)", make<CentralDifferences>},
      {"theta-xi", "theta method with contact on positions, for flexible bodies, e = 0",
       "gap >= 0; energy kept for theta = xi = 1/2 while no contact changes",
       "Legrand, Laxalde (2011)", make<ThetaXi>},
      {"event-driven", "smooth flow by CVODES between located impacts and stick-slip switches",
       "errors of the size of flow_tolerance whatever the step; gap >= 0 and constraints to 1e-11; "
       "for few contacts",
       "Pfeiffer, Glocker (1996); Glocker (2001); Acary, Brogliato (2008)", make<EventDriven>},
      {"statics", "equilibrium with frictionless contact at each instant", "gap >= 0",
       "Signorini (1959)", make<Statics>},
  };
  return list;
}

std::unique_ptr<Scheme> make_scheme(std::string_view name, const SchemeOptions& options) {
  if (name == kWorldScheme) return std::make_unique<StewartTrinkle>(options);
  std::string known;
  for (const SchemeInfo& info : scheme_list()) {
    if (info.name == name) return info.make(options);
    known += fmt::format(" {}", info.name);
  }
  throw InputError(fmt::format("unknown scheme '{}'; known:{}", name, known));
}

}  // namespace clack
