#include "clack/integrate/flow.hpp"

#include <cvodes/cvodes.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>

#include "clack/integrate/faults.hpp"

namespace clack {
namespace {

constexpr int kWorks = 5;
constexpr int kRoots = 3;             // event functions per contact, in the order of Flow::Root
constexpr long kMostSteps = 2000000;  // between two stops
// CVODES controls the error of each of its steps; what adds up must stay below the tolerance.
constexpr double kSafety = 0.01;

void say_nothing(int, const char*, const char*, char*, void*) {}

template <class T>
T* need(T* made) {
  if (!made) throw std::bad_alloc();
  return made;
}

}  // namespace

struct Flow::Integrator {
  Integrator(ContactSet& s, double tolerance, double longest_step);
  ~Integrator();
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;

  static int derivative(double t, N_Vector y, N_Vector dy, void* self);
  static int works_rate(double t, N_Vector y, N_Vector rate, void* self);
  static int event_functions(double t, N_Vector y, double* g, void* self);
  bool evaluate(double t, N_Vector y);
  void contact_power(double* rate) const;
  double normal_function(int contact) const;
  double tangential_function(int contact) const;
  double minimum_function(int contact) const;
  bool fired(int contact, Root root) const {
    return roots[static_cast<std::size_t>(kRoots * contact + static_cast<int>(root))] != 0;
  }
  bool only_minima() const;
  bool read_gaps(double t);
  double stop(double t);
  double closing_before(int contact, double t);
  double sharpened(double t);
  void take_quadratures(double t);

  ContactSet& set;
  const System& system;
  ContactMotion* motion = nullptr;
  int nq, nv, rows, contacts, drivers;
  double longest;    // step [s]
  double rest;       // normal velocity that counts as none [m/s]
  double since = 0;  // time of the last stop [s]
  int lost = -1;     // contact whose gap is not a number
  SUNContext context = nullptr;
  void* memory = nullptr;
  N_Vector y = nullptr, quadratures = nullptr;
  SUNNonlinearSolver iteration = nullptr;
  Vector gap, before, impulses, drive_works;
  std::vector<int> roots;
  FlowWorks works;
  int flag = 0;

  int quantities() const { return kWorks + rows + drivers; }
};

Flow::Integrator::Integrator(ContactSet& s, double tolerance, double longest_step)
    : set(s),
      system(s.system()),
      nq(system.nq()),
      nv(system.nv()),
      rows(s.rows()),
      contacts(s.size()),
      drivers(system.drivers()),
      longest(longest_step),
      rest(2 * tolerance) {
  gap = Vector::Zero(contacts);
  before = Vector::Zero(quantities());
  impulses = Vector::Zero(rows);
  drive_works = Vector::Zero(drivers);
  roots.assign(static_cast<std::size_t>(kRoots * contacts), 0);
  SUNContext_Create(nullptr, &context);
  y = need(N_VNew_Serial(nq + nv, context));
  quadratures = need(N_VNew_Serial(quantities(), context));
  N_VConst(0, y);
  N_VConst(0, quadratures);
  memory = need(CVodeCreate(CV_ADAMS, context));
  iteration = need(SUNNonlinSol_FixedPoint(y, 0, context));
  const double each = std::max(kSafety * tolerance, 2e-15);
  CVodeInit(memory, derivative, 0, y);
  CVodeSetUserData(memory, this);
  CVodeSetErrHandlerFn(memory, say_nothing, nullptr);
  CVodeSStolerances(memory, each, each);
  CVodeSetNonlinearSolver(memory, iteration);
  CVodeSetMaxNumSteps(memory, kMostSteps);
  CVodeSetMaxStep(memory, longest);
  CVodeQuadInit(memory, works_rate, quadratures);
  CVodeSetQuadErrCon(memory, 1);
  CVodeQuadSStolerances(memory, each, each);
  if (contacts == 0) return;
  CVodeRootInit(memory, kRoots * contacts, event_functions);
  std::vector<int> direction(roots.size(), -1);
  for (std::size_t i = kRoots - 1; i < direction.size(); i += kRoots) direction[i] = 1;  // minima
  CVodeSetRootDirection(memory, direction.data());
  CVodeSetNoInactiveRootWarn(memory);
}

Flow::Integrator::~Integrator() {
  CVodeFree(&memory);
  SUNNonlinSolFree(iteration);
  N_VDestroy(y);
  N_VDestroy(quadratures);
  SUNContext_Free(&context);
}

bool Flow::Integrator::evaluate(double t, N_Vector state) {
  const double* data = N_VGetArrayPointer(state);
  return motion->evaluate(t, ConstVectorMap(data, nq), ConstVectorMap(data + nq, nv));
}

// A positive return value asks for a smaller step.
int Flow::Integrator::derivative(double t, N_Vector y, N_Vector dy, void* self) {
  Integrator& it = *static_cast<Integrator*>(self);
  if (!it.evaluate(t, y)) return 1;
  const double* state = N_VGetArrayPointer(y);
  double* rate = N_VGetArrayPointer(dy);
  it.system.coordinate_rates(ConstVectorMap(state, it.nq), ConstVectorMap(state + it.nq, it.nv),
                             VectorMap(rate, it.nq));
  std::copy_n(it.motion->acceleration().data(), it.nv, rate + it.nq);
  return 0;
}

int Flow::Integrator::works_rate(double t, N_Vector y, N_Vector rate_vector, void* self) {
  Integrator& it = *static_cast<Integrator*>(self);
  if (!it.evaluate(t, y)) return 1;
  const double* state = N_VGetArrayPointer(y);
  const ConstVectorMap q(state, it.nq), v(state + it.nq, it.nv);
  double* rate = N_VGetArrayPointer(rate_vector);
  const Forces& forces = it.motion->forces();
  rate[1] = v.dot(forces.damping);
  VectorMap(rate + kWorks, it.rows) = it.motion->multipliers();
  rate[0] = v.dot(forces.external) + it.system.energies(t, q, v).driving_power;
  VectorMap by_drives(rate + kWorks + it.rows, it.drivers);
  by_drives.setZero();
  if (forces.drives.cols() > 0) by_drives = forces.drives.transpose() * v;
  it.contact_power(rate);
  return 0;
}

// As the ledger books it: what moving contacts feed in, normals, friction.
void Flow::Integrator::contact_power(double* rate) const {
  const Vector &lambda = motion->multipliers(), &u = motion->u(), &w = motion->w();
  rate[2] = rate[3] = rate[4] = 0;
  for (int c = 0; c < contacts; ++c) {
    const Contact& contact = set.list()[c];
    for (int k = 0; k < contact.dim(); ++k) {
      const int row = motion->row_begin(c) + k;
      if (lambda[row] == 0) continue;  // an open contact's u need not be a number
      if (contact.booking == Booking::drive) {
        const double power = (u[row] - w[row]) * lambda[row];
        rate[0] += power;
        if (contact.driver >= 0) rate[kWorks + rows + contact.driver] += power;
        continue;
      }
      rate[2] -= w[row] * lambda[row];
      rate[contact.bilateral ? 2 : k == 0 ? 3 : 4] += u[row] * lambda[row];
    }
  }
}

double Flow::Integrator::normal_function(int c) const {
  const ContactState& state = motion->states()[c];
  if (state.mode == ContactMode::open) return gap[c] + state.gap_slack;
  return motion->multipliers()[motion->row_begin(c)] + state.force_slack;
}

double Flow::Integrator::tangential_function(int c) const {
  const ContactState& state = motion->states()[c];
  const Contact& contact = set.list()[c];
  if (state.mode == ContactMode::open || !has_friction(contact)) return 1;
  const bool space = contact.tangents == 2;
  const double* u = motion->u().data() + motion->row_begin(c);
  const double* force = motion->multipliers().data() + motion->row_begin(c);
  if (state.mode == ContactMode::sliding) {
    return space ? std::hypot(u[1], u[2]) - state.slip_slack
                 : u[1] * state.direction[0] + state.slip_slack;
  }
  const double tangential = space ? std::hypot(force[1], force[2]) : std::abs(force[1]);
  return motion->friction(c) * force[0] - tangential + state.force_slack;
}

double Flow::Integrator::minimum_function(int c) const {
  if (motion->states()[c].mode != ContactMode::open) return 1;
  return motion->u()[motion->row_begin(c)] - rest;
}

int Flow::Integrator::event_functions(double t, N_Vector y, double* g, void* self) {
  Integrator& it = *static_cast<Integrator*>(self);
  if (!it.evaluate(t, y)) return 1;
  it.set.gaps(t, ConstVectorMap(N_VGetArrayPointer(y), it.nq), it.gap);
  for (int c = 0; c < it.contacts; ++c) {
    if (is_lost(it.gap[c])) it.lost = c;
    const bool bilateral = it.set.list()[c].bilateral;
    double* own = g + kRoots * c;
    own[0] = bilateral ? 1 : it.normal_function(c);
    own[1] = bilateral ? 1 : it.tangential_function(c);
    own[2] = bilateral ? 1 : it.minimum_function(c);
  }
  return it.lost < 0 ? 0 : -1;
}

bool Flow::Integrator::only_minima() const {
  for (int c = 0; c < contacts; ++c) {
    if (fired(c, Root::normal) || fired(c, Root::tangential)) return false;
  }
  return true;
}

// y and the gaps at a time within the last step.
bool Flow::Integrator::read_gaps(double t) {
  if (CVodeGetDky(memory, t, 0, y) != CV_SUCCESS) return false;
  set.gaps(t, ConstVectorMap(N_VGetArrayPointer(y), nq), gap);
  return true;
}

// Where the flow has to stop, at t or before: an open contact whose gap is negative without a root
// of its own has closed since the last step began (eq:grazing).
double Flow::Integrator::stop(double t) {
  if (!read_gaps(t)) return t;
  const Vector at_stop = gap;
  double first = t;
  int closed = -1;
  for (int c = 0; c < contacts; ++c) {
    const ContactState& state = motion->states()[c];
    if (set.list()[c].bilateral || state.mode != ContactMode::open) continue;
    if (fired(c, Root::normal) || !(at_stop[c] + state.gap_slack < 0)) continue;
    const double closing = closing_before(c, t);
    if (closing < first) closed = c, first = closing;
  }
  if (closed >= 0) {
    std::fill(roots.begin(), roots.end(), 0);
    roots[static_cast<std::size_t>(kRoots * closed)] = 1;
  }
  read_gaps(first);
  return first;
}

// By bisection on the integrator's own interpolant, from the positive gap at the start of its step.
double Flow::Integrator::closing_before(int c, double t) {
  double now = t, last = 0;
  CVodeGetCurrentTime(memory, &now);
  CVodeGetLastStep(memory, &last);
  const double slack = motion->states()[c].gap_slack;
  double open = std::max(since, now - last), closed = t;
  const double fine = 4e-16 * std::max(std::abs(t), last);
  while (closed - open > fine) {
    const double middle = 0.5 * (open + closed);
    if (!read_gaps(middle) || middle <= open || middle >= closed) break;
    (gap[c] + slack < 0 ? closed : open) = middle;
  }
  return closed;
}

// CVODES stops some 100 units of round-off behind a root, always on the far side: a bias that adds
// up over many impacts. One step of Newton's method leads back to gap = 0.
double Flow::Integrator::sharpened(double t) {
  if (!evaluate(t, y)) return t;
  set.gaps(t, ConstVectorMap(N_VGetArrayPointer(y), nq), gap);
  double back = 0;
  for (int c = 0; c < contacts; ++c) {
    const bool opened = motion->states()[c].mode == ContactMode::open;
    const double u = motion->u()[motion->row_begin(c)];
    if (fired(c, Root::normal) && opened && u < 0) back = std::max(back, gap[c] / u);
  }
  return back > 0 && CVodeGetDky(memory, t - back, 0, y) == CV_SUCCESS ? t - back : t;
}

void Flow::Integrator::take_quadratures(double t) {
  CVodeGetQuadDky(memory, t, 0, quadratures);
  const ConstVectorMap now(N_VGetArrayPointer(quadratures), quantities());
  const Vector done = now - before;
  before = now;
  works = {done[0], done[1], done[2], done[3], done[4]};
  impulses = done.segment(kWorks, rows);
  drive_works = done.tail(drivers);
}

Flow::Flow(ContactSet& contacts, double tolerance, double longest)
    : it_(std::make_unique<Integrator>(contacts, tolerance, longest)) {}
Flow::~Flow() = default;

void Flow::restart(ContactMotion& motion, double t, const Vector& q, const Vector& v) {
  it_->motion = &motion;
  double* data = N_VGetArrayPointer(it_->y);
  std::copy_n(q.data(), it_->nq, data);
  std::copy_n(v.data(), it_->nv, data + it_->nq);
  it_->since = t;
  it_->lost = -1;
  // Smaller steps would be lost in the time: at a pole of the forces the flow ends.
  CVodeSetMinStep(it_->memory, 4e-15 * std::max(std::abs(t), it_->longest));
  CVodeReInit(it_->memory, t, it_->y);
  N_VConst(0, it_->quadratures);
  CVodeQuadReInit(it_->memory, it_->quadratures);
  it_->before.setZero();
}

Flow::End Flow::advance(double end, double& t, Vector& q, Vector& v) {
  do {
    it_->flag = CVode(it_->memory, end, it_->y, &t, CV_NORMAL);
    std::fill(it_->roots.begin(), it_->roots.end(), 0);
    if (it_->flag == CV_ROOT_RETURN) {
      CVodeGetRootInfo(it_->memory, it_->roots.data());
      t = it_->sharpened(it_->stop(t));
    }
    it_->since = t;
  } while (it_->flag == CV_ROOT_RETURN && it_->only_minima());
  const double* data = N_VGetArrayPointer(it_->y);
  q = ConstVectorMap(data, it_->nq);
  v = ConstVectorMap(data + it_->nq, it_->nv);
  it_->system.normalise(q);
  it_->take_quadratures(t);
  if (it_->flag < 0) return End::failed;
  return it_->flag == CV_ROOT_RETURN ? End::event : End::reached;
}

bool Flow::fired(int contact, Root root) const { return it_->fired(contact, root); }
bool Flow::lost_a_gap() const { return it_->lost >= 0; }
const FlowWorks& Flow::works() const { return it_->works; }
const Vector& Flow::drive_works() const { return it_->drive_works; }
const Vector& Flow::impulses() const { return it_->impulses; }

std::string Flow::failure() const {
  if (lost_a_gap()) {
    return fmt::format("the gap of '{}' is not a number",
                       it_->set.list()[static_cast<std::size_t>(it_->lost)].name);
  }
  char* name = CVodeGetReturnFlagName(it_->flag);
  std::string text = fmt::format("the flow cannot be continued ({})", name);
  std::free(name);
  return text;
}

}  // namespace clack
