// Rows whose every value is a function of the row's index, so that any file can be judged by what
// it holds.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "clack/io/results/results_reader.hpp"
#include "clack/io/results/results_writer.hpp"
#include "tests/folder.hpp"

namespace clack::test {

constexpr int kNq = 7;
constexpr int kNv = 6;
constexpr int kLocalDim = 3;

inline double time_of(std::int64_t row) { return 0.125 * static_cast<double>(row); }
inline double q_of(std::int64_t row, int i) { return static_cast<double>(row) + 0.01 * i; }
inline double v_of(std::int64_t row, int i) { return -3.0 * static_cast<double>(row) - i; }
inline double energy_of(std::int64_t row, int i) { return 8.0 * static_cast<double>(row) + i; }
inline int contacts_of(std::int64_t row) { return static_cast<int>(row % 4); }
inline double contact_of(std::int64_t row, int j, int field) {
  return static_cast<double>(row) + 0.1 * j + 0.001 * field;
}

// Owns the arrays that a ResultRow views.
class TestRow {
 public:
  TestRow() : q_(kNq), v_(kNv) { contacts_.reserve(4); }

  const ResultRow& at(std::int64_t row) {
    for (int i = 0; i < kNq; ++i) q_[static_cast<std::size_t>(i)] = q_of(row, i);
    for (int i = 0; i < kNv; ++i) v_[static_cast<std::size_t>(i)] = v_of(row, i);
    contacts_.clear();
    for (int j = 0; j < contacts_of(row); ++j) contacts_.push_back(contact(row, j));
    view_ = {time_of(row), q_, v_, energy(row), solver(row), contacts_};
    return view_;
  }

 private:
  static EnergyRow energy(std::int64_t row) {
    return {energy_of(row, 0), energy_of(row, 1),  energy_of(row, 2),
            energy_of(row, 3), energy_of(row, 4),  energy_of(row, 5),
            energy_of(row, 6), energy_of(row, 11), energy_of(row, 7)};
  }
  static SolverRow solver(std::int64_t row) {
    return {static_cast<int>(row) + 1, energy_of(row, 8),         energy_of(row, 9),
            energy_of(row, 12),        static_cast<int>(row) + 2, energy_of(row, 10)};
  }
  static ContactRow contact(std::int64_t row, int j) {
    ContactRow contact{j, static_cast<int>(row), static_cast<int>(row) + j};
    contact.gap = contact_of(row, j, 0);
    for (int i = 0; i < 3; ++i) {
      const auto k = static_cast<std::size_t>(i);
      contact.point[k] = contact_of(row, j, 10 + i);
      contact.normal[k] = contact_of(row, j, 20 + i);
    }
    for (int i = 0; i < kMaxLocalDim; ++i) {
      const auto k = static_cast<std::size_t>(i);
      contact.r[k] = contact_of(row, j, 30 + i);
      contact.u[k] = contact_of(row, j, 40 + i);
    }
    contact.status = 100 + j;
    return contact;
  }

  std::vector<double> q_;
  std::vector<double> v_;
  std::vector<ContactRow> contacts_;
  ResultRow view_;
};

inline ResultsHeader test_header(std::int64_t expected_rows) {
  ResultsHeader header;
  header.nq = kNq;
  header.nv = kNv;
  header.local_dim = kLocalDim;
  header.expected_rows = expected_rows;
  header.attributes = {{"version", "0.1.0"}, {"units", "SI"}, {"empty", ""}, {"scene", "µ: 0.3\n"}};
  header.bodies = {{"floor", "plane", {0, 0}, {0, 0}}, {"ball", "sphere", {0, 7}, {0, 6}}};
  header.q_names = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  header.v_names = {"vx", "vy", "vz", "wx", "wy", "wz"};
  header.contact_names = {"ball on floor", "", "c", "d"};
  return header;
}

inline void expect_contact(const ContactColumns& contacts, std::size_t at, std::int64_t row,
                           int j) {
  const auto index = static_cast<Eigen::Index>(at);
  ASSERT_EQ(contacts.id[at], j);
  ASSERT_EQ(contacts.body_a[at], row);
  ASSERT_EQ(contacts.body_b[at], row + j);
  ASSERT_EQ(contacts.gap[at], contact_of(row, j, 0));
  ASSERT_EQ(contacts.status[at], 100 + j);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(contacts.point(index, i), contact_of(row, j, 10 + i));
    ASSERT_EQ(contacts.normal(index, i), contact_of(row, j, 20 + i));
  }
  for (int i = 0; i < kLocalDim; ++i) {
    ASSERT_EQ(contacts.r(index, i), contact_of(row, j, 30 + i));
    ASSERT_EQ(contacts.u(index, i), contact_of(row, j, 40 + i));
  }
}

inline void expect_contacts(const ContactColumns& contacts, std::int64_t rows) {
  ASSERT_EQ(contacts.offset.front(), 0);
  ASSERT_EQ(contacts.r.cols(), kLocalDim);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto begin = contacts.offset[static_cast<std::size_t>(row)];
    ASSERT_EQ(contacts.offset[static_cast<std::size_t>(row) + 1] - begin, contacts_of(row));
    for (int j = 0; j < contacts_of(row); ++j) {
      expect_contact(contacts, static_cast<std::size_t>(begin + j), row, j);
    }
  }
}

inline void expect_energy_and_solver(const ResultsReader& reader) {
  const EnergyColumns energy = reader.energy();
  const SolverColumns solver = reader.solver();
  for (std::int64_t row = 0; row < reader.rows(); ++row) {
    const auto k = static_cast<std::size_t>(row);
    ASSERT_EQ(energy.kinetic[k], energy_of(row, 0));
    ASSERT_EQ(energy.potential[k], energy_of(row, 1));
    ASSERT_EQ(energy.work_external[k], energy_of(row, 2));
    ASSERT_EQ(energy.work_damping[k], energy_of(row, 3));
    ASSERT_EQ(energy.work_contact[k], energy_of(row, 4));
    ASSERT_EQ(energy.work_impact[k], energy_of(row, 5));
    ASSERT_EQ(energy.work_friction[k], energy_of(row, 6));
    ASSERT_EQ(energy.work_bond[k], energy_of(row, 11));
    ASSERT_EQ(energy.numerical[k], energy_of(row, 7));
    ASSERT_EQ(solver.iterations[k], row + 1);
    ASSERT_EQ(solver.residual[k], energy_of(row, 8));
    ASSERT_EQ(solver.residual_scaled[k], energy_of(row, 9));
    ASSERT_EQ(solver.velocity_error[k], energy_of(row, 12));
    ASSERT_EQ(solver.status[k], row + 2);
    ASSERT_EQ(solver.seconds[k], energy_of(row, 10));
  }
}

// Every array holds what TestRow wrote, for as many rows as the reader sees.
inline void expect_test_rows(const ResultsReader& reader) {
  const auto time = reader.time();
  const RowMatrix q = reader.q();
  const RowMatrix v = reader.v();
  ASSERT_EQ(q.cols(), kNq);
  ASSERT_EQ(v.cols(), kNv);
  for (std::int64_t row = 0; row < reader.rows(); ++row) {
    ASSERT_EQ(time[static_cast<std::size_t>(row)], time_of(row));
    for (int i = 0; i < kNq; ++i) ASSERT_EQ(q(row, i), q_of(row, i));
    for (int i = 0; i < kNv; ++i) ASSERT_EQ(v(row, i), v_of(row, i));
  }
  expect_energy_and_solver(reader);
  expect_contacts(reader.contacts(), reader.rows());
}

inline void write_test_rows(ResultsWriter& writer, std::int64_t begin, std::int64_t end) {
  TestRow row;
  for (std::int64_t k = begin; k < end; ++k) writer.append(row.at(k));
}

}  // namespace clack::test
