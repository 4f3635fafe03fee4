#include "clack/record/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "clack/core/error.hpp"
#include "clack/record/recorder.hpp"
#include "clack/record/section_sampler.hpp"

namespace clack {
namespace {

constexpr std::size_t kMostValues = 1'000'000, kMostRuns = 10'000'000;
constexpr double kMostSteps = 1e12;

bool read_number(const std::string& text, double& value) {
  try {
    std::size_t used = 0;
    value = std::stod(text, &used);
    return used == text.size() && std::isfinite(value);
  } catch (const std::exception&) {
    return false;
  }
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;  // commas within brackets belong to a value
  for (const char letter : text) {
    depth += (letter == '[' || letter == '{') - (letter == ']' || letter == '}');
    if (letter == separator && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

[[noreturn]] void refuse_range(const std::string& text, const std::string& why) {
  throw InputError(fmt::format("--vary {}: {}; give KEY=LOW:HIGH:COUNT or KEY=a,b,c", text, why));
}

void read_grid(const std::string& text, const std::vector<std::string>& parts, VariedKey& key) {
  double low = 0, high = 0, count = 0;
  if (!read_number(parts[0], low) || !read_number(parts[1], high) || !read_number(parts[2], count))
    refuse_range(text, "LOW, HIGH and COUNT must be numbers");
  if (!(count >= 2 && count <= kMostValues) || count != std::floor(count) || low == high)
    refuse_range(
        text, fmt::format("COUNT must be a whole number from 2 to {}, LOW not HIGH", kMostValues));
  for (int k = 0; k < static_cast<int>(count); ++k) {
    const double share = k / (count - 1);
    key.values.push_back(k + 1 == static_cast<int>(count) ? high : low + (high - low) * share);
    key.texts.push_back(fmt::format("{}", key.values.back()));
  }
}

void read_list(const std::string& text, const std::vector<std::string>& parts, VariedKey& key) {
  for (const std::string& part : parts) {
    if (part.empty()) refuse_range(text, "a value is empty");
    if (parts.size() == 1 && part.find(':') != std::string::npos)
      refuse_range(text, "a range has three parts");
    double value = 0;
    if (!read_number(part, value)) {
      key.numeric = false;
      value = static_cast<double>(key.values.size());
    }
    key.texts.push_back(part);
    key.values.push_back(value);
  }
  if (key.numeric) return;
  for (std::size_t k = 0; k < key.values.size(); ++k) key.values[k] = static_cast<double>(k);
}

Vector to_vector(std::span<const double> values) {
  return ConstVectorMap(values.data(), static_cast<Eigen::Index>(values.size()));
}

// Why a run went wrong, in words.
std::string failure_words(const RunFigures& figures, Status status) {
  if (status == Status::converged) return {};
  if (!figures.failure.empty()) return figures.failure;
  return fmt::format(
      "{} step{} missed the tolerance, the first at t = {:g} s{}", figures.failed_steps,
      figures.failed_steps == 1 ? "" : "s", figures.first_failure_time,
      figures.first_failure_place.empty() ? "" : " (worst at " + figures.first_failure_place + ")");
}

// How long a run lasts and what of it is kept.
struct Course {
  double skip = 0;            // [s]
  long steps_per_period = 0;  // 0: no period
};

// Steps are made to divide the period; the run lasts a whole number of periods.
Course plan_course(const SweepOptions& options, double period, Scene& scene) {
  Course course;
  const double start = scene.initial.t;
  course.skip = options.skip;
  if (std::isnan(period)) return course;
  course.steps_per_period = std::max(1L, std::lround(std::ceil(period / scene.options.h - 1e-9)));
  scene.options.h = period / static_cast<double>(course.steps_per_period);
  const auto whole = [&](double time) { return std::ceil(time / period - 1e-9); };
  const double skipped =
      options.skip_periods > 0 ? static_cast<double>(options.skip_periods) : whole(options.skip);
  course.skip = skipped * period;
  const double periods = options.section != SweepSection::none
                             ? skipped + options.keep
                             : std::max(1.0, whole(scene.end - start));
  scene.end = start + periods * period;
  return course;
}

}  // namespace

const std::vector<std::string>& sweep_carry_names() {
  static const std::vector<std::string> names = {"none", "up", "down", "both"};
  return names;
}

VariedKey VariedKey::parse(const std::string& text) {
  const auto equal = text.find('=');
  if (equal == std::string::npos || equal == 0 || equal + 1 == text.size())
    refuse_range(text, "there is no KEY= with values");
  VariedKey key;
  key.key = text.substr(0, equal);
  const std::string values = text.substr(equal + 1);
  const std::vector<std::string> colons = split(values, ':');
  if (colons.size() == 3) {
    read_grid(text, colons, key);
  } else {
    read_list(text, split(values, ','), key);
  }
  return key;
}

void SweepOptions::validate() const {
  if (vary.empty() || vary.size() > 2)
    throw InputError(fmt::format("vary: {} keys; a sweep takes one or two", vary.size()));
  if (vary.size() == 2 && vary[0].key == vary[1].key)
    throw InputError(fmt::format("vary: '{}' is named twice", vary[0].key));
  std::size_t count = 1;
  for (const VariedKey& key : vary) {
    if (key.values.empty() || key.values.size() != key.texts.size())
      throw InputError(fmt::format("vary: '{}' has no values", key.key));
    count *= key.values.size();
  }
  if (count > kMostRuns)
    throw InputError(fmt::format("vary: {} runs; at most {} are made", count, kMostRuns));
  if (section == SweepSection::period && period.empty())
    throw InputError("section: a section at equal times needs its period, as in 2*pi/W");
  if (!(skip >= 0) || !std::isfinite(skip) || skip_periods < 0)
    throw InputError("skip: the transient must be finite and >= 0");
  if (skip_periods > 0 && (period.empty() || skip > 0))
    throw InputError("skip-periods: needs a period, and goes without skip");
  if (keep < 1 || keep > 1'000'000)
    throw InputError(fmt::format("keep: {}; allowed: 1 to 1000000 points", keep));
  if (!(tolerance > 0) || !(attractor_tolerance > 0)) throw InputError("tolerance: must be > 0");
}

Sweep::Sweep(SceneWith load, SweepOptions options)
    : load_(std::move(load)), options_(std::move(options)) {
  options_.validate();
  make_runs();
  scene_ = load_(runs_.front().set);
  check_scene();
  (void)period_of(runs_.front());
}

void Sweep::check_scene() {
  for (const VariedKey& key : options_.vary) {
    if (!has_parameter(scene_, key.key, options_.vary.size()))
      throw InputError(
          fmt::format("vary: the scene has no '{}': its values would change nothing", key.key));
  }
  drifting_ = coordinates_of(scene_, options_.drift);
  if (!options_.period.empty() && scene_.options.adaptive)
    throw InputError(fmt::format(
        "{}: a section at equal times needs constant steps; the scene has adaptive ones",
        scene_.path));
  if (options_.contact.empty()) return;
  const std::vector<Contact>& contacts = scene_.system->contacts();
  const bool known = std::any_of(contacts.begin(), contacts.end(), [&](const Contact& contact) {
    return contact.name == options_.contact;
  });
  if (!known) {
    throw InputError(fmt::format(
        "section: the scene has no contact '{}' of its own; contacts that bodies find by "
        "themselves have no names: take any impact",
        options_.contact));
  }
}

void Sweep::make_runs() {
  const std::size_t columns = options_.vary[0].values.size();
  const std::size_t lines = options_.vary.size() > 1 ? options_.vary[1].values.size() : 1;
  const auto add = [&](std::size_t i, std::size_t j, bool down) {
    SweepRun run;
    run.index = static_cast<int>(runs_.size());
    run.down = down;
    run.at = {static_cast<int>(i)};
    run.set = {options_.vary[0].key + "=" + options_.vary[0].texts[i]};
    if (options_.vary.size() > 1) {
      run.at.push_back(static_cast<int>(j));
      run.set.push_back(options_.vary[1].key + "=" + options_.vary[1].texts[j]);
    }
    runs_.push_back(std::move(run));
  };
  for (std::size_t j = 0; j < lines; ++j) {
    for (const bool down : {false, true}) {
      const bool asked =
          down ? options_.carry == SweepCarry::down : options_.carry != SweepCarry::down;
      if (!asked && options_.carry != SweepCarry::both) continue;
      std::vector<int> chain;
      for (std::size_t i = 0; i < columns; ++i) {
        add(down ? columns - 1 - i : i, j, down);
        chain.push_back(runs_.back().index);
        if (options_.carry == SweepCarry::none) chains_.push_back(std::exchange(chain, {}));
      }
      if (!chain.empty()) chains_.push_back(std::move(chain));
    }
  }
}

bool Sweep::same_system() const {
  return std::all_of(options_.vary.begin(), options_.vary.end(),
                     [](const VariedKey& key) { return key.key.starts_with("initial."); });
}

std::string Sweep::fingerprint() const {
  nlohmann::ordered_json json = {{"scene", scene_.text},
                                 {"options", nlohmann::ordered_json::parse(options_text(scene_))}};
  nlohmann::ordered_json vary = nlohmann::ordered_json::object();
  for (const VariedKey& key : options_.vary) vary[key.key] = key.texts;
  json["vary"] = vary;
  json["section"] = static_cast<int>(options_.section);
  json["period"] = options_.period;
  json["contact"] = options_.contact;
  json["skip"] = options_.skip;
  json["skip_periods"] = options_.skip_periods;
  json["keep"] = options_.keep;
  json["carry"] = sweep_carry_names()[static_cast<std::size_t>(options_.carry)];
  json["drift"] = options_.drift;
  json["tolerance"] = options_.tolerance;
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

double Sweep::period_of(const SweepRun& run) const {
  if (options_.period.empty()) return SweepRow::kNone;
  return evaluate_time(load_, run.set, options_.period, "period");
}

SweepRow Sweep::run(int index, const std::optional<State>& start) const {
  const SweepRun& run = runs_.at(static_cast<std::size_t>(index));
  SweepRow row;
  row.run = index;
  try {
    simulate(run, start, row);
  } catch (const IoError&) {
    throw;
  } catch (const InputError& error) {
    row.status = "bad_input";
    row.reason = error.what();
  }
  return row;
}

void Sweep::simulate(const SweepRun& run, const std::optional<State>& start, SweepRow& row) const {
  Scene scene = load_(run.set);
  row.period = period_of(run);
  const Course course = plan_course(options_, row.period, scene);
  if (scene.step_count() > kMostSteps) throw InputError("the run has more than 1e12 steps");
  if (start) {
    if (start->q.size() != scene.initial.q.size() || start->v.size() != scene.initial.v.size())
      throw InputError("the run before has another number of coordinates: nothing to carry");
    scene.initial.q = start->q;
    scene.initial.v = start->v;
  }
  const double from = scene.initial.t + course.skip;
  if (course.skip > 0 && from >= scene.end)
    throw InputError(
        fmt::format("the transient of {:g} s leaves nothing of the run, which ends at {:g} s",
                    course.skip, scene.end));
  if (course.skip > 0) {
    for (Observable& measure : scene.measures) measure.after = std::max(measure.after, from);
  }
  const std::unique_ptr<Run> simulated = make_run(scene, 1);
  Recorder recorder(scene, *simulated);
  SectionSampler sampler(
      scene, {options_.section, options_.contact, from, course.steps_per_period, options_.keep});
  sampler.start(*simulated);
  Status status = Status::converged;
  while (!simulated->done() && status != Status::numerical_failure) {
    status = simulated->step();
    recorder.add(*simulated, status);
    if (status != Status::numerical_failure) sampler.add(*simulated);
    if (options_.section == SweepSection::impact && course.steps_per_period == 0 && sampler.full())
      break;
  }
  if (status != Status::numerical_failure) status = recorder.figures().first_failure;
  sampler.finish(row);
  row.status = to_string(status);
  row.reason = failure_words(recorder.figures(), status);
  row.steps = simulated->steps();
  row.time = simulated->time();
  const EnergyAudit& energy = recorder.ledger().totals();
  row.kinetic = energy.kinetic;
  row.potential = energy.potential;
  row.energy_error = recorder.ledger().relative_error();
  row.max_residual =
      std::max(recorder.figures().max_residual_scaled, recorder.figures().max_velocity_error);
  row.min_gap = recorder.figures().min_gap;
  row.contacts_max = recorder.figures().contacts_max;
  for (std::size_t i = 0; i < recorder.measures().size(); ++i)
    row.measures.push_back(recorder.measures().result(i).value);
  row.end = {simulated->time(), to_vector(simulated->q()), to_vector(simulated->v())};
  if (!row.good()) return;
  row.label = label_motion(row.section, row.size, drifting_, options_.tolerance);
  count_periods(row.section, row.period, row.label);
}

std::map<int, SweepRow> run_sweep(const Sweep& sweep, int jobs,
                                  const std::function<void(std::size_t done)>& progress) {
  const std::vector<std::vector<int>>& chains = sweep.chains();
  std::vector<SweepRow> rows(sweep.runs().size());
  std::atomic<std::size_t> next = 0, done = 0;
  std::atomic<bool> stopped = false;
  std::exception_ptr fault;
  std::mutex guard;
  const auto work = [&](bool reports) {
    try {
      for (std::size_t k = next++; k < chains.size() && !stopped; k = next++) {
        std::optional<State> end;
        for (const int run : chains[k]) {
          if (stopped) return;
          SweepRow& row = rows[static_cast<std::size_t>(run)];
          row = sweep.run(run, end);
          if (row.good() && sweep.options().carry != SweepCarry::none) end = row.end;
          ++done;
          if (reports && progress) progress(done);
        }
      }
    } catch (...) {
      const std::lock_guard lock(guard);
      stopped = true;
      if (!fault) fault = std::current_exception();
    }
  };
  if (jobs <= 0) jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (int k = 1; k < jobs; ++k) threads.emplace_back(work, false);
  work(true);
  for (std::thread& thread : threads) thread.join();
  if (fault) std::rethrow_exception(fault);
  std::map<int, SweepRow> result;
  for (SweepRow& row : rows) result.emplace(row.run, std::move(row));
  return result;
}

}  // namespace clack
