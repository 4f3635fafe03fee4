// clack sweep: a scene over one or two of its values, in processes of its own.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "clack/app/child_processes.hpp"
#include "clack/app/commands.hpp"
#include "clack/core/error.hpp"
#include "clack/record/files.hpp"
#include "clack/record/sweep_rows.hpp"
#include "clack/record/sweep_tables.hpp"

namespace clack::app {
namespace {

std::string runs(long count) { return fmt::format("{} {}", count, count == 1 ? "run" : "runs"); }

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr double kNoLimit = 1e9;    // [s]
constexpr int kMostInBatch = 64;    // chains that one process takes
constexpr int kBatchesPerJob = 8;   // so that all end at about the same time
constexpr int kDefaultParts = 100;  // of a job array
constexpr std::size_t kReasonsShown = 3, kAttractorsShown = 12;

SweepOptions read_options(const SweepArguments& arguments) {
  SweepOptions options;
  for (const std::string& text : arguments.vary) options.vary.push_back(VariedKey::parse(text));
  options.period = arguments.period;
  const std::string& section = arguments.section;
  if (section.starts_with("period=")) {
    options.section = SweepSection::period;
    options.period = section.substr(7);
  } else if (section == "impact" || section.starts_with("impact=")) {
    options.section = SweepSection::impact;
    if (section.size() > 7) options.contact = section.substr(7);
  } else if (!section.empty()) {
    throw InputError(fmt::format(
        "--section {}: give period=FORMULA (states at equal times), impact or impact=CONTACT",
        section));
  }
  const auto& names = sweep_carry_names();
  options.carry = static_cast<SweepCarry>(std::find(names.begin(), names.end(), arguments.carry) -
                                          names.begin());
  options.skip = arguments.skip;
  options.skip_periods = arguments.skip_periods;
  options.keep = arguments.keep;
  options.drift = arguments.drift;
  options.tolerance = arguments.tolerance;
  return options;
}

// K/N: the chains k, k + N, ... of N parts.
struct Part {
  int index = 0, count = 1;

  static Part parse(const std::string& text) {
    Part part;
    if (text.empty()) return part;
    char slash = 0, rest = 0;
    if (std::sscanf(text.c_str(), "%d%c%d%c", &part.index, &slash, &part.count, &rest) != 3 ||
        slash != '/' || part.count < 1 || part.index < 0 || part.index >= part.count)
      throw InputError(fmt::format("--part {}: give K/N with 0 <= K < N", text));
    return part;
  }
};

// A folder with the runs of another sweep is not mixed with this one.
void prepare_folder(const SweepArguments& arguments, const Sweep& sweep, const fs::path& folder) {
  const fs::path plan = folder / "sweep.json", rows = folder / "runs";
  const bool goes_on = arguments.resume || arguments.collect || !arguments.part.empty();
  if (goes_on && fs::exists(plan)) {
    std::ifstream in(plan, std::ios::binary);
    const std::string there((std::istreambuf_iterator<char>(in)), {});
    if (there != sweep.fingerprint() + "\n")
      throw InputError(fmt::format(
          "{}: was made by another scene or with other options; a sweep goes on with the same",
          plan.string()));
  } else if (arguments.collect) {
    throw InputError(fmt::format("{}: there is no sweep to collect", folder.string()));
  } else {
    std::error_code code;
    fs::remove_all(rows, code);
    if (code)
      throw IoError(fmt::format("{}: cannot be removed: {}", rows.string(), code.message()));
    write_file(plan, sweep.fingerprint() + "\n");
  }
  (void)make_folder(rows.string(), "");
}

// Runs what is missing of a part, in processes: one that crashes costs its run alone.
class Runner {
 public:
  Runner(const Sweep& sweep, fs::path folder, const SweepArguments& arguments)
      : sweep_(sweep),
        folder_(std::move(folder)),
        part_(Part::parse(arguments.part)),
        limit_(arguments.time_limit > 0 ? arguments.time_limit : kNoLimit) {
    jobs_ = arguments.jobs > 0 ? arguments.jobs
                               : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    shows_ = isatty(STDERR_FILENO) && !arguments.json;
  }

  // False where it was interrupted.
  bool run() {
    for (done_ = read_rows(folder_); make_batches(); done_ = read_rows(folder_)) {
      const bool went_on = run_children(
          static_cast<int>(batches_.size()), jobs_, [&](int k) { return make_job(k); },
          [&](int k, const ChildEnd& end) { finish(k, end); });
      if (!went_on) return false;
    }
    if (shows_) fmt::print(stderr, "\r\033[K");
    return true;
  }
  const std::map<int, SweepRow>& rows() const { return done_; }

 private:
  using Batch = std::vector<const std::vector<int>*>;  // chains

  bool is_done(int run) const { return done_.count(run) > 0; }

  bool make_batches() {
    batches_.clear();
    Batch open;
    for (std::size_t k = static_cast<std::size_t>(part_.index); k < sweep_.chains().size();
         k += static_cast<std::size_t>(part_.count)) {
      const std::vector<int>& chain = sweep_.chains()[k];
      if (!std::all_of(chain.begin(), chain.end(), [&](int run) { return is_done(run); }))
        open.push_back(&chain);
    }
    // With a time limit one run at a time is watched.
    const int fair = static_cast<int>(open.size()) / (jobs_ * kBatchesPerJob);
    const int size = limit_ < kNoLimit ? 1 : std::clamp(fair, 1, kMostInBatch);
    for (std::size_t k = 0; k < open.size(); k += static_cast<std::size_t>(size)) {
      const std::size_t end = std::min(open.size(), k + static_cast<std::size_t>(size));
      batches_.emplace_back(open.begin() + static_cast<long>(k),
                            open.begin() + static_cast<long>(end));
    }
    return !batches_.empty();
  }

  fs::path file(int batch) const {
    return folder_ /
           fmt::format("{:08}.jsonl", batches_[static_cast<std::size_t>(batch)].front()->front());
  }

  ChildJob make_job(int k) {
    const Batch& batch = batches_[static_cast<std::size_t>(k)];
    const double runs = static_cast<double>(batch.front()->size());
    return {.work = [this, k] { work(k); },
            .limit = std::min(kNoLimit, limit_ * runs),
            .errors = (folder_ / fmt::format("{:08}.errors", batch.front()->front())).string()};
  }

  // In the child.
  void work(int k) const {
    for (const std::vector<int>* chain : batches_[static_cast<std::size_t>(k)]) {
      std::optional<State> end;
      for (const int run : *chain) {
        const auto known = done_.find(run);
        const SweepRow row =
            known != done_.end()
                ? known->second
                : sweep_.run(run, sweep_.options().carry == SweepCarry::none ? std::nullopt : end);
        if (known == done_.end()) append_row(file(k), row);
        if (row.good()) end = row.end;
      }
    }
  }

  // The run at which a process ended before its time is a row with the reason.
  void finish(int k, const ChildEnd& end) {
    const fs::path errors = make_job(k).errors;
    if (end.good()) {
      std::error_code code;
      fs::remove(errors, code);
    } else {
      mark(k, end, errors);
    }
    for (const std::vector<int>* chain : batches_[static_cast<std::size_t>(k)])
      finished_ += static_cast<long>(chain->size());
    if (shows_)
      fmt::print(stderr, "\r  about {} of {} runs",
                 std::min<std::size_t>(static_cast<std::size_t>(finished_), sweep_.runs().size()),
                 sweep_.runs().size());
  }

  void mark(int k, const ChildEnd& end, const fs::path& errors) {
    const std::map<int, SweepRow> now = read_rows(folder_);
    std::ifstream in(errors, std::ios::binary);
    std::string said((std::istreambuf_iterator<char>(in)), {});
    while (!said.empty() && said.back() == '\n') said.pop_back();
    for (const std::vector<int>* chain : batches_[static_cast<std::size_t>(k)]) {
      for (const int run : *chain) {
        if (now.count(run) > 0) continue;
        SweepRow row;
        row.run = run;
        row.status = end.timed_out ? "time_limit" : "crashed";
        row.reason = end.words() + (said.empty() ? "" : ": " + said);
        append_row(file(k), row);
        return;
      }
    }
  }

  const Sweep& sweep_;
  fs::path folder_;
  Part part_;
  double limit_;
  int jobs_;
  bool shows_;
  std::map<int, SweepRow> done_;
  std::vector<Batch> batches_;
  long finished_ = 0;
};

// ---- jobs for a cluster

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string("_-./=:,+").find(c) != std::string::npos;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// The command itself without where and how it is run.
std::string base_command(const SweepArguments& arguments, const fs::path& folder) {
  std::vector<std::string> words = {"clack", "sweep", fs::absolute(arguments.scene).string()};
  const auto add = [&](const std::string& option, const std::string& value) {
    words.push_back(option);
    words.push_back(value);
  };
  for (const std::string& text : arguments.vary) add("--vary", text);
  for (const std::string& text : arguments.set) add("--set", text);
  if (!arguments.section.empty()) add("--section", arguments.section);
  if (!arguments.period.empty()) add("--period", arguments.period);
  if (arguments.skip > 0) add("--skip", fmt::format("{}", arguments.skip));
  if (arguments.skip_periods > 0) add("--skip-periods", fmt::format("{}", arguments.skip_periods));
  add("--keep", fmt::format("{}", arguments.keep));
  add("--carry", arguments.carry);
  for (const std::string& name : arguments.drift) add("--drift", name);
  add("--tolerance", fmt::format("{}", arguments.tolerance));
  if (arguments.time_limit > 0) add("--time-limit", fmt::format("{}", arguments.time_limit));
  add("-o", fs::absolute(folder).string());
  for (std::string& word : words) word = shell_word(word);
  return fmt::format("{}", fmt::join(words, " "));
}

fs::path emit(const SweepArguments& arguments, const Sweep& sweep, const fs::path& folder) {
  const int parts = std::min<int>(arguments.parts > 0 ? arguments.parts : kDefaultParts,
                                  static_cast<int>(sweep.chains().size()));
  const std::string command = base_command(arguments, folder);
  if (arguments.emit == "slurm") {
    const fs::path script = folder / "sweep.slurm";
    write_file(script, fmt::format("#!/bin/bash\n"
                                   "# sbatch {1}\n"
                                   "# then: {0} --collect\n"
                                   "#SBATCH --job-name=clack-sweep\n"
                                   "#SBATCH --array=0-{2}\n"
                                   "#SBATCH --cpus-per-task=1\n"
                                   "#SBATCH --output={3}/runs/%a.log\n"
                                   "{0} --jobs 1 --part \"$SLURM_ARRAY_TASK_ID/{4}\"\n",
                                   command, shell_word(script.string()), parts - 1,
                                   fs::absolute(folder).string(), parts));
    return script;
  }
  const fs::path list = folder / "sweep.txt";
  std::string text;
  for (int k = 0; k < parts; ++k)
    text += fmt::format("{} --jobs 1 --part {}/{}\n", command, k, parts);
  write_file(list, text);
  return list;
}

// ---- words

void print_failures(const SweepResult& result) {
  std::size_t shown = 0;
  for (const SweepRow& row : result.rows) {
    if (row.good() || row.status == "not_run") continue;
    if (shown++ == kReasonsShown) {
      fmt::print("    ... (sweep.csv has all)\n");
      return;
    }
    fmt::print("    run {}: {}: {}\n", row.run, row.status, row.reason);
  }
}

void print_result(const Sweep& sweep, const SweepResult& result, const fs::path& folder) {
  const Scene& scene = sweep.scene();
  fmt::print("{}\n  {} runs over", scene.title.empty() ? scene.path : scene.title,
             result.rows.size());
  for (const VariedKey& key : sweep.options().vary)
    fmt::print(" {} ({} values)", key.key, key.values.size());
  fmt::print("\n");
  if (result.missing > 0) fmt::print("  missing: {}\n", runs(result.missing));
  if (result.failed > 0) {
    fmt::print("  FAILED: {}\n", runs(result.failed));
    print_failures(result);
  }
  for (std::size_t k = 0; k < std::min(kAttractorsShown, result.attractors.size()); ++k)
    fmt::print("  attractor {}: {}: {}\n", k + 1, result.attractors[k].name,
               runs(result.attractors[k].runs));
  if (result.attractors.size() > kAttractorsShown)
    fmt::print("  and {} more attractors (attractors.csv has all)\n",
               result.attractors.size() - kAttractorsShown);
  fmt::print("\n  files in {}: {}\n", folder.string(), fmt::join(result.files, ", "));
}

Json result_json(const Sweep& sweep, const SweepResult& result, const fs::path& folder) {
  Json attractors = Json::array();
  for (const AttractorList::Attractor& x : result.attractors) {
    attractors.push_back({{"name", x.name},
                          {"runs", x.runs},
                          {"repeats_after", x.label.points},
                          {"periods", x.label.periods},
                          {"impacts", x.label.impacts},
                          {"sticks", x.label.sticks}});
  }
  return {{"scene", sweep.scene().path}, {"runs", result.rows.size()}, {"failed", result.failed},
          {"missing", result.missing},   {"attractors", attractors},   {"folder", folder.string()},
          {"files", result.files}};
}

void check_arguments(const SweepArguments& arguments) {
  const int ways = !arguments.emit.empty() + arguments.collect + !arguments.part.empty();
  if (ways > 1) throw InputError("--emit, --collect and --part do not go together");
  if (arguments.run && (arguments.collect || !arguments.part.empty()))
    throw InputError("--run goes alone or with --emit");
  (void)Part::parse(arguments.part);  // before anything is written
}

}  // namespace

int sweep(const SweepArguments& arguments) {
  check_arguments(arguments);
  const auto load = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = arguments.set;
    all.insert(all.end(), more.begin(), more.end());
    return load_scene(arguments.scene, all);
  };
  const Sweep sweep(load, read_options(arguments));
  const fs::path folder = make_folder(arguments.folder, arguments.scene);
  prepare_folder(arguments, sweep, folder);
  if (!arguments.emit.empty()) {
    const fs::path file = emit(arguments, sweep, folder);
    if (!arguments.json) fmt::print("  jobs: {}\n", file.string());
    if (!arguments.run) {
      if (arguments.json) fmt::print("{}\n", Json{{"jobs", file.string()}}.dump());
      return kDone;
    }
  }
  std::map<int, SweepRow> rows;
  if (arguments.collect) {
    rows = read_rows(folder / "runs");
  } else {
    Runner runner(sweep, folder / "runs", arguments);
    const bool went_on = runner.run();
    rows = runner.rows();
    if (!went_on) {
      fmt::print("interrupted; --resume goes on with what is done\n");
      return kNumericalFailure;
    }
    if (!arguments.part.empty()) return kDone;
  }
  SweepResult result = gather_sweep(sweep, std::move(rows));
  write_sweep(folder, sweep, result);
  if (arguments.json) {
    fmt::print(
        "{}\n",
        result_json(sweep, result, folder).dump(-1, ' ', false, Json::error_handler_t::replace));
  } else {
    print_result(sweep, result, folder);
  }
  return result.failed + result.missing == 0 ? kDone : kNumericalFailure;
}

}  // namespace clack::app
