#include "clack/io/problems/dat_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <vector>

#include "clack/io/problems/dat_matrix.hpp"
#include "clack/io/problems/token_reader.hpp"

namespace clack {
namespace {

constexpr int kMostRows = std::numeric_limits<int>::max();

Vector read_vector(TokenReader& reader, std::int64_t size, const std::string& name) {
  reader.require_room(size, name);
  Vector values(size);
  for (double& value : values) value = reader.real(name);
  return values;
}

Vector read_coefficients(TokenReader& reader, int contacts, const std::string& name) {
  reader.require_room(contacts, name);
  Vector values(contacts);
  for (int i = 0; i < contacts; ++i) {
    values[i] = reader.real(name);
    if (values[i] >= 0) continue;
    reader.fail(fmt::format("{} of contact {} is {}; it must be >= 0", name, i, values[i]));
  }
  return values;
}

std::vector<Cone> read_cones(TokenReader& reader, int dim, int contacts) {
  const Vector mu = read_coefficients(reader, contacts, "mu");
  const Vector mu_r = dim == 5 ? read_coefficients(reader, contacts, "mu_r") : Vector();
  std::vector<Cone> cones;
  cones.reserve(static_cast<std::size_t>(contacts));
  for (int i = 0; i < contacts; ++i) {
    cones.push_back(dim == 5 ? Cone::rolling(mu[i], mu_r[i]) : Cone::coulomb(dim, mu[i]));
  }
  return cones;
}

// "d nc", the head of every friction problem.
void read_head(TokenReader& reader, int& dim, int& contacts) {
  dim = reader.integer("the dimension of a contact", 2, 5);
  if (dim == 4) reader.fail("the dimension of a contact is 4; allowed are 2, 3 and 5 (rolling)");
  contacts = reader.integer("the number of contacts", 0, reader.room() / (dim + 1));
}

// Some files end with one more integer, a flag of older writers that says nothing about the
// problem.
void skip_flag(TokenReader& reader) {
  const bool last = reader.peek(1).empty();
  if (last && (reader.peek() == "0" || reader.peek() == "1")) reader.next("a flag");
}

// "d nc W u_free mu [mu_r]"
ProblemData read_local(TokenReader& reader) {
  int dim = 0;
  int contacts = 0;
  read_head(reader, dim, contacts);
  const std::int64_t rows = static_cast<std::int64_t>(dim) * contacts;
  const SparseMatrix W = read_dat_matrix(reader, "W", {rows, rows});
  Vector u_free = read_vector(reader, rows, "q");
  std::vector<Cone> cones = read_cones(reader, dim, contacts);
  skip_flag(reader);
  return make_reduced_problem(std::move(cones), W, std::move(u_free));
}

// "d nc M H f w mu [mu_r]"
ProblemData read_global(TokenReader& reader) {
  int dim = 0;
  int contacts = 0;
  read_head(reader, dim, contacts);
  const std::int64_t rows = static_cast<std::int64_t>(dim) * contacts;
  SparseMatrix M = read_dat_matrix(reader, "M", {});
  SparseMatrix H = read_dat_matrix(reader, "H", {M.rows(), rows});
  Vector f = read_vector(reader, M.rows(), "q");
  Vector w = read_vector(reader, rows, "b");
  std::vector<Cone> cones = read_cones(reader, dim, contacts);
  skip_flag(reader);
  return make_global_problem(std::move(cones), std::move(M), std::move(H), std::move(f),
                             std::move(w));
}

// "n M q"
ProblemData read_lcp(TokenReader& reader) {
  const int n = reader.integer("the number of unknowns", 0, reader.room());
  const SparseMatrix M = read_dat_matrix(reader, "M", {n, n});
  Vector q = read_vector(reader, n, "q");
  return make_reduced_problem(std::vector<Cone>(static_cast<std::size_t>(n), Cone::nonnegative()),
                              M, std::move(q));
}

// One cone a row from "0 end1 end2 ... n + m" and a flag for each of these blocks: 1 for a
// complementarity, 0 for an equality.
std::vector<Cone> read_mlcp_blocks(TokenReader& reader, int equalities, int size) {
  std::vector<int> end{reader.integer("the first block row", 0, 0)};
  while (end.back() < size) {
    end.push_back(reader.integer("a block row", end.back() + 1, size));
  }
  std::vector<Cone> cones;
  int free_rows = 0;
  for (std::size_t k = 0; k + 1 < end.size(); ++k) {
    const bool complementary = reader.integer("a block's kind", 0, 1) == 1;
    const int rows = end[k + 1] - end[k];
    if (!complementary) free_rows += rows;
    cones.insert(cones.end(), static_cast<std::size_t>(rows),
                 complementary ? Cone::nonnegative() : Cone::free(1));
  }
  if (free_rows != equalities) {
    reader.fail(
        fmt::format("the blocks have {} equalities; {} are announced", free_rows, equalities));
  }
  return cones;
}

// A (n x n), B (m x m), C (n x m), D (m x n) by rows, a, b: M = [A C; D B], q = [a; b].
struct MlcpParts {
  SparseMatrix M;
  Vector q;
};

MlcpParts read_mlcp_parts(TokenReader& reader, int n, int m) {
  reader.require_room((std::int64_t{n} + m) * (std::int64_t{n} + m + 1), "A, B, C, D, a and b");
  std::vector<Triplet> triplets;
  const auto read_part = [&](const std::string& name, int row, int rows, int col, int cols) {
    for (int i = row; i < row + rows; ++i) {
      for (int j = col; j < col + cols; ++j) {
        const double value = reader.real(name);
        if (value != 0) triplets.emplace_back(i, j, value);
      }
    }
  };
  read_part("A", 0, n, 0, n);
  read_part("B", n, m, n, m);
  read_part("C", 0, n, n, m);
  read_part("D", n, m, 0, n);
  MlcpParts parts{SparseMatrix(n + m, n + m), Vector(n + m)};
  parts.M.setFromTriplets(triplets.begin(), triplets.end());
  parts.q.head(n) = read_vector(reader, n, "a");
  parts.q.tail(m) = read_vector(reader, m, "b");
  return parts;
}

// The same problem is written twice in most files.
void require_same(TokenReader& reader, const SparseMatrix& M, const Vector& q,
                  const MlcpParts& parts) {
  if (q.size() == 0) return;
  constexpr double kPrinted = 1e-5;  // relative; files with six digits exist
  const SparseMatrix difference = M - parts.M;
  if (difference.norm() <= kPrinted * M.norm() && (q - parts.q).norm() <= kPrinted * q.norm()) {
    return;
  }
  reader.fail("A, B, C, D, a and b are not the parts of M and q");
}

// Some files end with a solution (equalities' unknowns, z, w), most of them without its first
// value.
void skip_mlcp_solution(TokenReader& reader, int n, int m) {
  std::int64_t count = 0;
  while (!reader.at_end() && std::isalpha(static_cast<unsigned char>(reader.peek()[0])) == 0 &&
         reader.peek()[0] != '#') {
    reader.real("a value of the solution");
    ++count;
  }
  const std::int64_t whole = n + 2 * std::int64_t{m};
  if (count == 0 || count == whole || count == whole - 1) return;
  reader.fail(fmt::format("{} values follow the problem; a solution has {}", count, whole));
}

// "1 0|1 n m blocks M q" and or "A B C D a b"
ProblemData read_mlcp(TokenReader& reader) {
  const int has_whole = reader.integer("the flag of M and q", 0, 1);
  const int has_parts = reader.integer("the flag of A, B, C and D", 1 - has_whole, 1);
  const int n = reader.integer("the number of equalities", 0, reader.room());
  const int m = reader.integer("the number of complementarities", 0,
                               std::min<std::int64_t>(reader.room(), kMostRows) - n);
  const int size = n + m;
  std::vector<Cone> cones(static_cast<std::size_t>(n), Cone::free(1));
  cones.insert(cones.end(), static_cast<std::size_t>(m), Cone::nonnegative());
  SparseMatrix M;
  Vector q;
  if (has_whole == 1) {
    cones = read_mlcp_blocks(reader, n, size);
    M = read_dat_matrix(reader, "M",
                        {size, size,
                         fmt::format(", one per equality ({}) and per complementarity ({}): "
                                     "rectangular problems are not solved",
                                     n, m)});
    q = read_vector(reader, size, "q");
  }
  if (has_parts == 1) {
    MlcpParts parts = read_mlcp_parts(reader, n, m);
    const bool ordered =
        std::is_sorted(cones.begin(), cones.end(),
                       [](const Cone& a, const Cone& b) { return a.is_free() && !b.is_free(); });
    if (has_whole == 1 && ordered) require_same(reader, M, q, parts);
    if (has_whole == 0) {
      M = std::move(parts.M);
      q = std::move(parts.q);
    }
  }
  skip_mlcp_solution(reader, n, m);
  return make_reduced_problem(std::move(cones), M, std::move(q));
}

// A remark may follow the numbers, on lines of its own; it becomes the description.
std::string read_remark(TokenReader& reader) {
  if (reader.at_end()) return {};
  const std::string_view token = reader.peek();
  const auto first = static_cast<unsigned char>(token.front());
  std::string word(token.substr(0, 3));
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool is_text = std::isalpha(first) != 0 || first == '#' || first == '%' || first == '/';
  // A kind that takes a matrix for numbers may stop right before what CSparse printed.
  const bool is_matrix = token == "CSparse";
  if (!is_text || is_matrix || word == "nan" || word == "inf" || !reader.at_line_start()) {
    reader.next("the end of the file");
    reader.fail(fmt::format("'{}' stands where the file should end", token.substr(0, 40)));
  }
  std::string remark(reader.rest());
  while (std::isspace(static_cast<unsigned char>(remark.back())) != 0) remark.pop_back();
  return remark;
}

struct Kind {
  const char* name;
  ProblemData (*read)(TokenReader&);
};
constexpr std::array kKinds{Kind{"read as a local friction problem", read_local},
                            Kind{"read as a global friction problem", read_global},
                            Kind{"read as a linear complementarity problem", read_lcp},
                            Kind{"read as a mixed linear complementarity problem", read_mlcp}};

void require_text(std::string_view text, const std::string& path) {
  if (text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos) {
    throw InputError(path + ": the file is empty; an FCLIB or Siconos problem is expected");
  }
  const auto is_control = [](char c) { return (c >= 0 && c < '\t') || (c > '\r' && c < ' '); };
  if (std::ranges::any_of(text, is_control)) {
    throw InputError(path +
                     ": neither an HDF5 file nor text; an FCLIB or Siconos problem is "
                     "expected");
  }
}

}  // namespace

ProblemData parse_dat(std::string_view text, const std::string& path) {
  require_text(text, path);
  std::optional<ParseError> furthest;
  std::optional<ProblemData> with_remark;  // less certain than numbers to the end
  for (const Kind& kind : kKinds) {
    TokenReader reader(text, path);
    reader.set_context(kind.name);
    try {
      ProblemData problem = kind.read(reader);
      problem.description = read_remark(reader);
      if (problem.description.empty()) return problem;
      if (!with_remark) with_remark = std::move(problem);
    } catch (const ParseError& error) {
      if (!furthest || error.position() > furthest->position()) furthest = error;
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", path, error.what()));
    }
  }
  if (with_remark) return *std::move(with_remark);
  throw InputError(furthest->what());
}

}  // namespace clack
