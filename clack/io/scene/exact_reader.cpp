#include "clack/io/scene/exact_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "clack/core/formula/scratch.hpp"

namespace clack {
namespace {

using formula::Expr;

class ExactReader {
 public:
  ExactReader(const Field& field, Vocabulary& vocabulary, const NamedSystem& named)
      : field_(field), vocabulary_(vocabulary), named_(named), names_(vocabulary.parameters) {
    names_["t"] = named.t;
  }

  ExactMotion read() {
    if (field_.is_map() && field_.find("form")) return read_form();
    if (!field_.expect_map({"define", "q", "v"})) return {};
    const auto q = field_.find("q"), v = field_.find("v");
    const auto define = field_.find("define");
    if (field_.entries().size() == (define ? 1u : 0u)) {
      field_.complain("says nothing: give 'q' or 'v' as formulas of t, or 'form'");
    }
    if (define) read_definitions(*define);
    q_.assign(named_.q_names.size(), formula::kNone);
    v_.assign(named_.v_names.size(), formula::kNone);
    if (q) read_formulas(*q, named_.q_names, q_);
    if (v) read_formulas(*v, named_.v_names, v_);
    for (std::size_t i = 0; i < q_.size(); ++i) {  // the rate of a known coordinate is known
      const std::size_t rate = q_[i] == formula::kNone ? v_.size() : rate_of(i);
      if (rate < v_.size() && v_[rate] == formula::kNone)
        v_[rate] = vocabulary_.graph.derivative(q_[i], named_.t);
    }
    return good_ ? build() : ExactMotion{};
  }

 private:
  // The velocity that is the rate of a coordinate, none for those of quaternions.
  std::size_t rate_of(std::size_t i) const {
    const std::vector<std::string>&q = named_.q_names, &v = named_.v_names;
    if (q.size() == v.size()) return i;
    const auto find = [&](const std::string& name) {
      return static_cast<std::size_t>(std::find(v.begin(), v.end(), name) - v.begin());
    };
    const std::size_t cut = q[i].rfind('_'), rate = find(q[i] + "'");
    if (rate < v.size() || cut == std::string::npos) return rate;
    return find(q[i].substr(0, cut) + "_v" + q[i].substr(cut + 1));
  }

  void read_definitions(const Field& define) {
    if (!define.expect_free_map()) {
      good_ = false;
      return;
    }
    for (const Entry& entry : define.entries()) {
      const auto e = vocabulary_.formula(entry.value, names_, "a formula of t");
      good_ = good_ && e && vocabulary_.check_name(entry.name, entry.key);
      if (!e) continue;
      if (!names_.emplace(entry.key, *e).second) {
        entry.name.complain(fmt::format("the name '{}' is taken already", entry.key));
        good_ = false;
      }
    }
  }

  // A list in the order of the names, or a map by name.
  void read_formulas(const Field& field, const std::vector<std::string>& names,
                     std::vector<Expr>& out) {
    if (field.is_list()) {
      const std::vector<Field> items = field.items();
      if (items.size() != names.size()) {
        field.complain(
            fmt::format("expected {} formulas of t; found {}", names.size(), items.size()));
        good_ = false;
        return;
      }
      for (std::size_t i = 0; i < items.size(); ++i) read_formula(items[i], out[i]);
      return;
    }
    if (!field.is_map()) {
      field.complain(
          fmt::format("expected a map of names to formulas of t, or a list of them; found {}",
                      field.describe()));
    }
    if (!field.is_map() || !field.expect_free_map()) {
      good_ = false;
      return;
    }
    for (const Entry& entry : field.entries()) {
      const auto it = std::find(names.begin(), names.end(), entry.key);
      if (it == names.end()) {
        entry.name.complain("unknown name" +
                            allowed_words(entry.key, {names.begin(), names.end()}));
        good_ = false;
      } else {
        read_formula(entry.value, out[it - names.begin()]);
      }
    }
  }

  void read_formula(const Field& field, Expr& out) {
    const auto e = vocabulary_.formula(field, names_, "a formula of t");
    good_ = good_ && e.has_value();
    out = e.value_or(formula::kNone);
  }

  ExactMotion build() const {
    ExactMotion motion;
    std::vector<Expr> outputs;
    for (const Expr e : q_) motion.knows_q.push_back(e != formula::kNone);
    for (const Expr e : v_) motion.knows_v.push_back(e != formula::kNone);
    for (const std::vector<Expr>* list : {&q_, &v_}) {
      for (const Expr e : *list) {
        if (e != formula::kNone) outputs.push_back(e);
      }
    }
    const Expr inputs[] = {named_.t};
    motion.at = [tape = formula::Tape(vocabulary_.graph, inputs, outputs), knows_q = motion.knows_q,
                 knows_v = motion.knows_v](double t, VectorRef q, VectorRef v) {
      double* values = formula::scratch(tape.output_count() + tape.register_count());
      double* registers = values + tape.output_count();
      tape.prepare(registers);
      tape.evaluate(&t, values, registers);
      for (std::size_t i = 0; i < knows_q.size(); ++i) {
        if (knows_q[i]) q[static_cast<int>(i)] = *values++;
      }
      for (std::size_t i = 0; i < knows_v.size(); ++i) {
        if (knows_v[i]) v[static_cast<int>(i)] = *values++;
      }
    };
    return motion;
  }

  ExactMotion read_form() {
    if (!field_.expect_map({"form", "omega", "start", "stop", "e_n"})) return {};
    if (!field_.find("form")->choice({"impacting-oscillator"})) return {};
    if (named_.q_names.size() != 1) {
      field_.complain(
          fmt::format("impacting-oscillator is a motion of one coordinate; the system has {}",
                      named_.q_names.size()));
      return {};
    }
    ImpactingOscillator form;
    const auto omega = field_.require("omega", "the angular frequency of the free motion [rad/s]");
    const auto start = field_.require("start", "the coordinate at t = 0, at rest [m]");
    const auto stop = field_.find("stop"), e_n = field_.find("e_n");
    if (omega) form.omega = vocabulary_.number(*omega, kPositive).value_or(1);
    if (start) form.start = vocabulary_.number(*start, kPositive).value_or(1);
    if (stop) form.stop = vocabulary_.number(*stop).value_or(0);
    if (e_n) form.e_n = vocabulary_.number(*e_n, kUnit).value_or(1);
    if (stop && form.stop >= form.start) stop->complain("must be less than 'start': q >= stop");
    ExactMotion motion;
    motion.knows_q = motion.knows_v = {1};
    motion.at = [form](double t, VectorRef q, VectorRef v) {
      const ImpactingOscillator::Point point = form.at(t);
      q[0] = point.q;
      v[0] = point.v;
    };
    return motion;
  }

  const Field& field_;
  Vocabulary& vocabulary_;
  const NamedSystem& named_;
  formula::Names names_;
  std::vector<Expr> q_, v_;  // kNone where not known
  bool good_ = true;
};

}  // namespace

ExactMotion read_exact(const Field& field, Vocabulary& vocabulary, const NamedSystem& named) {
  return ExactReader(field, vocabulary, named).read();
}

}  // namespace clack
