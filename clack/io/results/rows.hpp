// What a results file holds: a header written once, and a row for each output time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "clack/io/results/container.hpp"
#include "clack/io/results/events.hpp"

namespace clack {

constexpr int kMaxLocalDim = 6;

// Energies [J] at the row's time; works [J] are sums since the start of the run.
struct EnergyRow {
  double kinetic = 0;
  double potential = 0;
  double work_external = 0;
  double work_damping = 0;
  double work_contact = 0;
  double work_impact = 0;
  double work_friction = 0;
  double work_bond = 0;
  double numerical = 0;
};

struct SolverRow {
  int iterations = 0;
  double residual = 0;
  double residual_scaled = 0;
  double velocity_error = 0;
  int status = 0;
  double seconds = 0;  // [s], wall clock
};

struct ContactRow {
  int id = 0;      // index into /model/contact_name; -1 between rigid bodies without a link
  int body_a = 0;  // indices into /bodies
  int body_b = 0;
  double gap = 0;                        // [m]
  std::array<double, 3> point{};         // [m]
  std::array<double, 3> normal{};        // from A to B
  std::array<double, kMaxLocalDim> r{};  // [N s], normal first; local_dim values are written
  std::array<double, kMaxLocalDim> u{};  // [m/s]
  int status = 0;
  std::array<double, kMaxLocalDim> impulse{};  // sum of r since the row before [N s]
  std::int64_t feature = 0;  // with the bodies the identity of a contact between rigid bodies
};

// Views of the caller's arrays, copied by ResultsWriter::append.
struct ResultRow {
  double time = 0;            // [s]
  std::span<const double> q;  // nq
  std::span<const double> v;  // nv
  EnergyRow energy;
  SolverRow solver;
  std::span<const ContactRow> contacts;
  std::span<const double> extra;    // the values of ResultsHeader::extra_columns, one after another
  std::span<const double> law;      // those of ResultsHeader::law_variables, contact by contact
  std::span<const double> restart;  // what a run needs beside q and v to go on, of any length
};

// One body of /bodies; the ranges are half open.
struct BodyEntry {
  std::string name;
  std::string shape;  // text as the scene names it
  std::array<std::int32_t, 2> q_range{};
  std::array<std::int32_t, 2> v_range{};
};

// A dataset with `width` numbers for each row: /measures/NAME.
struct ExtraColumn {
  std::string path;
  int width = 1;
};

struct ResultsHeader {
  int nq = 0;
  int nv = 0;
  int local_dim = 3;                   // 1 to kMaxLocalDim: width of /contacts/r and /contacts/u
  std::int64_t expected_rows = 0;      // a guess is enough; 0: unknown
  std::int64_t expected_contacts = 0;  // summed over the rows; a guess; 0: unknown

  std::map<std::string, std::string> attributes;  // version, scene, options, units, ...
  std::vector<BodyEntry> bodies;                  // /bodies/{name,shape,q_range,v_range}
  std::vector<std::string> q_names;               // /model/q_name
  std::vector<std::string> v_names;               // /model/v_name
  std::vector<std::string> contact_names;         // /model/contact_name, by id: contacts, links
  std::vector<std::string> law_variables;         // what laws remember: /contacts/law/NAME
  std::vector<StaticDataset> extra;               // anything else that does not change
  std::vector<ExtraColumn> extra_columns;         // further numbers of each row
};

}  // namespace clack
