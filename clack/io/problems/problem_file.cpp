#include "clack/io/problems/problem_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "clack/core/error.hpp"
#include "clack/io/problems/dat_reader.hpp"
#include "clack/io/problems/dat_writer.hpp"
#include "clack/io/problems/fclib_file.hpp"
#include "clack/problem/global_problem.hpp"

namespace clack {
namespace {

namespace fs = std::filesystem;

void require_regular_file(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found || error) {
    const std::string reason = error ? error.message() : "No such file or directory";
    throw IoError(fmt::format("cannot read {}: {}", path, reason));
  }
  if (status.type() == fs::file_type::directory) {
    throw InputError(path + ": is a directory; an FCLIB or Siconos problem is expected");
  }
  if (status.type() != fs::file_type::regular) {
    throw InputError(path + ": is not a regular file; an FCLIB or Siconos problem is expected");
  }
  if (access(path.c_str(), R_OK) != 0) {
    throw IoError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && !in.eof()) {
    throw IoError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  return text;
}

enum class Format { fclib, siconos };

Format choose_format(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".hdf5" || extension == ".h5") return Format::fclib;
  if (extension == ".dat") return Format::siconos;
  throw InputError(
      fmt::format("{}: the extension '{}' names no problem format; allowed are .hdf5, .h5 and .dat",
                  path, extension));
}

// The solution with every vector that the file needs, and sizes that fit.
ProblemSolution complete(const ProblemData& problem, const ProblemSolution& solution) {
  ProblemSolution whole = solution;
  const bool global = problem.form == ProblemForm::global;
  const auto require = [](const char* name, Eigen::Index actual, int expected) {
    if (actual == expected) return;
    throw InputError(
        fmt::format("solution {} has {} entries; {} are needed", name, actual, expected));
  };
  require("r", whole.r.size(), problem.dimension());
  require("u", whole.u.size(), problem.dimension());
  if (global && whole.v.size() == 0) whole.v = recover_velocity(problem, whole.r.data());
  if (global) require("v", whole.v.size(), problem.dof());
  return whole;
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) throw IoError(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

// Writes beside the target and renames, so that a reader never sees half a file.
template <class Write>
void replace_file(const std::string& path, const Write& write) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type != fs::file_type::not_found && type != fs::file_type::regular) {
    throw IoError(fmt::format("cannot write {}: it exists and is not a regular file", path));
  }
  const std::string part = fmt::format("{}.part{}", path, getpid());
  try {
    write(part);
    fs::rename(part, path);
  } catch (const fs::filesystem_error& failure) {
    fs::remove(part, error);
    throw IoError(fmt::format("cannot write {}: {}", path, failure.code().message()));
  } catch (...) {
    fs::remove(part, error);
    throw;
  }
}

}  // namespace

ProblemData read_problem(const std::string& path) {
  require_regular_file(path);
  ProblemData problem = is_hdf5_file(path) ? read_fclib(path) : parse_dat(read_text(path), path);
  problem.name = fs::path(path).stem().string();
  return problem;
}

std::optional<ProblemSolution> read_solution(const std::string& path, const ProblemData& problem) {
  require_regular_file(path);
  if (!is_hdf5_file(path)) return std::nullopt;
  return read_fclib_solution(path, problem);
}

void write_problem(const std::string& path, const ProblemData& problem,
                   const ProblemSolution* solution) {
  problem.validate();
  if (choose_format(path) == Format::siconos) {
    if (solution != nullptr) {
      throw InputError(path + ": a .dat file holds no solution; write an .hdf5 file");
    }
    const std::string text = format_dat(problem);
    replace_file(path, [&](const std::string& part) { write_text(part, text); });
    return;
  }
  const std::optional<ProblemSolution> whole =
      solution != nullptr ? std::optional(complete(problem, *solution)) : std::nullopt;
  replace_file(path, [&](const std::string& part) {
    write_fclib(part, problem, whole ? &*whole : nullptr);
  });
}

}  // namespace clack
