#include "clack/integrate/ode.hpp"

#include <cvodes/cvodes.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>

namespace clack {
namespace {

constexpr double kSafety = 0.01;  // errors of single steps against what adds up
constexpr long kMostSteps = 2000000;

void say_nothing(int, const char*, const char*, char*, void*) {}

struct Memory {
  explicit Memory(Vector& y) {
    SUNContext_Create(nullptr, &context);
    state = N_VMake_Serial(static_cast<long>(y.size()), y.data(), context);
    cvode = CVodeCreate(CV_ADAMS, context);
    if (state) iteration = SUNNonlinSol_FixedPoint(state, 0, context);
    if (!state || !cvode || !iteration) throw std::bad_alloc();
  }
  ~Memory() {
    CVodeFree(&cvode);
    SUNNonlinSolFree(iteration);
    N_VDestroy(state);
    SUNContext_Free(&context);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  SUNContext context = nullptr;
  N_Vector state = nullptr;
  void* cvode = nullptr;
  SUNNonlinearSolver iteration = nullptr;
};

// A positive return value asks for a smaller step.
int call_rate(double t, N_Vector y, N_Vector dy, void* user) {
  const auto n = static_cast<Eigen::Index>(NV_LENGTH_S(y));
  VectorMap rate(N_VGetArrayPointer(dy), n);
  const bool known =
      (*static_cast<const OdeRate*>(user))(t, ConstVectorMap(N_VGetArrayPointer(y), n), rate);
  return known && rate.allFinite() ? 0 : 1;
}

}  // namespace

std::string integrate_ode(const OdeRate& rate, double begin, double end, double tolerance,
                          Vector& y) {
  return sample_ode(rate, begin, end, 1, tolerance, y, nullptr);
}

std::string sample_ode(const OdeRate& rate, double begin, double end, int parts, double tolerance,
                       Vector& y, const std::function<void(double t, const Vector& y)>& visit) {
  if (visit) visit(begin, y);
  if (std::abs(end - begin) <= 1e-14 * std::max(1.0, std::abs(begin))) {  // below its resolution
    Vector slope(y.size());
    if (end != begin && rate(begin, y, slope)) y += (end - begin) * slope;
    if (visit) visit(end, y);
    return {};
  }
  Memory memory(y);
  const double each = std::max(kSafety * tolerance, 2e-15);
  CVodeInit(memory.cvode, call_rate, begin, memory.state);
  CVodeSetUserData(memory.cvode, const_cast<OdeRate*>(&rate));
  CVodeSetErrHandlerFn(memory.cvode, say_nothing, nullptr);
  CVodeSStolerances(memory.cvode, each, each);
  CVodeSetNonlinearSolver(memory.cvode, memory.iteration);
  CVodeSetMaxNumSteps(memory.cvode, kMostSteps);
  CVodeSetMaxStep(memory.cvode, std::abs(end - begin) / 8);
  CVodeSetMinStep(memory.cvode, 4e-15 * std::max(std::abs(begin), std::abs(end - begin)));
  CVodeSetStopTime(memory.cvode, end);
  double t = begin;
  for (int k = 1; k <= parts; ++k) {
    const double next = k == parts ? end : begin + (end - begin) * k / parts;
    const int flag = CVode(memory.cvode, next, memory.state, &t, CV_NORMAL);
    if (flag < 0) {
      char* name = CVodeGetReturnFlagName(flag);
      std::string text =
          fmt::format("the motion cannot be continued at t = {:.6g} s ({})", t, name);
      std::free(name);
      return text;
    }
    if (visit) visit(next, y);
  }
  return {};
}

}  // namespace clack
