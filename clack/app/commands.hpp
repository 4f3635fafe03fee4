// The commands of the program; each returns the exit status.
#pragma once

#include <string>
#include <vector>

namespace clack::app {

// Exit status: 0 done; 1 numerical failure, what was computed is kept; 2 bad input; 3 input/output.
inline constexpr int kDone = 0, kNumericalFailure = 1, kBadInput = 2, kIoFailure = 3;

struct RunArguments {
  std::string scene;
  std::string folder;            // empty: out/NAME
  std::vector<std::string> set;  // path=value
  int threads = 1;               // of rigid bodies; 0: as many as the machine has
  std::string dump_problems;     // every=N; empty: none
  bool resume = false;
  bool json = false;
};
int run(const RunArguments& arguments);

int check(const std::string& scene, const std::vector<std::string>& set);

int list(const std::string& what);

struct SolveArguments {
  std::string problem;
  std::string solver = "auto";
  double tolerance = 1e-8;
  int max_iterations = 100000;
  double time_limit = 0;             // [s]; 0: none
  std::vector<std::string> options;  // key=value, the solver's own
  std::string output;                // FCLIB file with the solution
  bool json = false;
};
int solve(const SolveArguments& arguments);

struct ConvergeArguments {
  std::string scene;
  std::vector<std::string> set;  // path=value
  std::string schemes, steps;    // separated by commas
  std::string tolerances;        // of runs with adaptive steps besides; empty: none
  std::string reference;         // exact, self or a file; empty: exact where the scene has it
  std::string reference_scheme;  // of self
  std::string norm = "L1";
  std::string observe;  // names separated by commas; empty: all that is known
  std::string folder;   // empty: out/NAME
  int jobs = 0;         // 0: as many as processors
  bool json = false;
};
int converge(const ConvergeArguments& arguments);

struct ModesArguments {
  std::string scene;
  std::vector<std::string> set;
  std::string contacts = "open";  // or closed, or sliding
  int number = 0;                 // of linear modes; 0: all, of large systems a few
  std::string impacts;            // periods LOW:HIGH:COUNT of orbits with impacts; empty: linear
  int count = 1;                  // impacts per period
  std::string lasting;            // periods LOW:HIGH:COUNT of orbits with a lasting contact
  std::string exact_rod;          // EA=..,c=..,length=..,g0=..
  bool manifold = false;          // write the states of all orbits
  std::vector<std::string> manifold_axes;
  std::string folder;
  bool json = false;
};
int modes(const ModesArguments& arguments);
// About an equilibrium with closed contacts, sliding ones too: complex eigenvalues.
int sliding_modes(const ModesArguments& arguments);

struct OrbitArguments {
  std::string scene;
  std::vector<std::string> set;
  std::string kind = "forced";
  std::string method = "multiple";
  std::string period;          // a formula; empty: looked for
  std::string from = "scene";  // impact-mode or linear-mode
  int mode = 1;                // linear mode to start from
  int harmonics = 20;
  double settle = 0;               // [s]
  std::vector<std::string> drift;  // coordinates
  double lyapunov = 0;             // exponents over this time in place of an orbit [s]; 0: none
  double interval = 0;             // between two factorisations [s]; 0: the period, or a step
  std::string folder;
  bool json = false;
};
int orbit(const OrbitArguments& arguments);

struct ContinueArguments {
  OrbitArguments orbit;
  std::string method = "shooting";  // harmonic, or both
  std::string over;                 // NAME=LOW:HIGH
  std::string at;  // where the first orbit is sought; empty: the end of the range to start from
  bool down = false;
  bool equilibrium = false;  // equilibria in place of orbits
  bool doubling = false;  // follow branches of twice the period
  bool manifold = false;  // write the states of all orbits
  std::vector<std::string> manifold_axes;
  double step = 0.02;
  int max_points = 400;
};
int continue_branch(const ContinueArguments& arguments);
// Of equilibria over KEY from LOW to HIGH, from the one at `at`.
int continue_equilibria(const ContinueArguments& arguments, const std::string& key, double low,
                        double high, double at);

struct SweepArguments {
  std::string scene;
  std::vector<std::string> set;
  std::vector<std::string> vary;  // KEY=LOW:HIGH:COUNT or KEY=a,b,c
  std::string section;            // period=FORMULA, impact, impact=CONTACT; empty: none
  std::string period;             // a formula, where the section has none
  double skip = 0;                // [s]
  long skip_periods = 0;
  int keep = 100;
  std::string carry = "none";  // or up, down, both
  std::vector<std::string> drift;
  double tolerance = 1e-6;
  std::string folder;
  int jobs = 0;           // 0: as many as processors
  double time_limit = 0;  // of a run [s]; 0: none
  bool resume = false, collect = false, run = false;
  std::string emit;  // slurm or parallel
  int parts = 0;     // of what is emitted; 0: as many as are useful
  std::string part;  // K/N: one of them
  bool json = false;
};
int sweep(const SweepArguments& arguments);

struct BenchArguments {
  std::vector<std::string> problems;  // files and folders
  std::vector<std::string> solvers = {"auto"};
  std::vector<double> tolerances = {1e-8};
  double time_limit = 10;  // [s]
  int jobs = 0;            // at the same time; 0: one a core
  int repeat = 5;          // the best counts
  std::string folder = "out/bench";
  std::string peer;                       // empty or siconos
  std::vector<std::string> peer_solvers;  // empty: all
};
int bench(const BenchArguments& arguments);

struct ReportArguments {
  std::string folder;
  std::string output;                    // empty: report.html in the folder
  double max_size = 15;                  // [MB]
  std::vector<std::string> coordinates;  // of a system; empty: all, or some of many
  bool json = false;
};
int report(const ReportArguments& arguments);

struct ViewArguments {
  std::string folder;
  int port = 8765;  // 0: a free one
};
int view(const ViewArguments& arguments);

struct ConvertArguments {
  std::string from, to;
  long every = 1;  // rows of results
  // Of robots.
  bool floating = false, keep_fixed = false, exact_meshes = false, no_self_collision = false;
  std::vector<std::string> packages, start;  // NAME=DIR, JOINT=VALUE
};
int convert(const ConvertArguments& arguments);

}  // namespace clack::app
