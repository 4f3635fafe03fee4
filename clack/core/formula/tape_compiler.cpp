// From the graph to a tape: lower, fuse, schedule, assign registers.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <unordered_map>

#include "clack/core/formula/subgraph.hpp"
#include "clack/core/formula/tape.hpp"

namespace clack::formula {
namespace {

constexpr int kMaxExpandedPower = 16;  // beyond it pow() is as fast and more accurate
constexpr int kUnassigned = -1;

// Something that a register will hold: an input, a constant or the result of an operation.
struct Value {
  enum class Kind : std::uint8_t { kInput, kConstant, kOperation, kSecond, kDead };
  Kind kind = Kind::kOperation;
  Code code = Code::kAdd;
  int a = kNone, b = kNone, c = kNone;  // values; of kSinCos b is its cosine, of a kSecond a is
                                        // the operation that makes it
  int uses = 0;
  int location = kUnassigned;  // register
  double constant = 0.0;
};

Code to_code(Op op) { return static_cast<Code>(static_cast<int>(op) - static_cast<int>(Op::kAdd)); }

}  // namespace

class TapeCompiler {
 public:
  TapeCompiler(const Graph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs,
               Tape& tape)
      : graph_(graph), sub_(graph, outputs), tape_(tape) {
    add_inputs(inputs);
    lower(outputs);
    count_uses();
    fuse_products();
    pair_sines();
    schedule();
    assign_registers();
  }

 private:
  using Kind = Value::Kind;

  Value& value(int id) { return values_[static_cast<std::size_t>(id)]; }
  bool is_operation(int id) { return value(id).kind == Kind::kOperation; }

  int add_value(const Value& v) {
    values_.push_back(v);
    return static_cast<int>(values_.size()) - 1;
  }

  // What an operation reads, kNone for none.
  std::array<int, 3> operands(const Value& v) const {
    if (v.code == Code::kSinCos) return {v.a, kNone, kNone};
    return {v.a, v.b, v.c};
  }

  // --- lowering ---
  void add_inputs(std::span<const Expr> inputs) {
    for (const Expr e : inputs) {
      (void)graph_.variable_name(e);
      if (!input_of_.emplace(e, add_value({.kind = Kind::kInput})).second) {
        throw std::logic_error("formula: input '" + graph_.variable_name(e) + "' given twice");
      }
    }
    tape_.input_count_ = static_cast<int>(inputs.size());
  }

  void lower(std::span<const Expr> outputs) {
    std::vector<int> image(sub_.size());
    const auto lookup = [&](Expr e) { return e == kNone ? kNone : image[sub_.position(e)]; };
    for (std::size_t i = 0; i < sub_.size(); ++i) {
      const Node& n = graph_.node(sub_.nodes()[i]);
      if (arity(n.op) == 0) {
        image[i] = lower_leaf(sub_.nodes()[i]);
      } else if (const int power = small_power(n); power != 0) {
        image[i] = lower_power(lookup(n.a), power);
      } else {
        image[i] = emit(to_code(n.op), lookup(n.a), lookup(n.b), lookup(n.c));
      }
    }
    for (const Expr e : outputs) outputs_.push_back(lookup(e));
  }

  int lower_leaf(Expr e) {
    if (graph_.is_constant(e)) return find_constant(graph_.constant_value(e));
    if (const auto found = input_of_.find(e); found != input_of_.end()) return found->second;
    throw std::logic_error("formula: variable '" + graph_.variable_name(e) + "' is no input");
  }

  int find_constant(double x) {
    const auto [found, is_new] = constant_of_.try_emplace(std::bit_cast<std::uint64_t>(x), 0);
    if (is_new) found->second = add_value({.kind = Kind::kConstant, .constant = x});
    return found->second;
  }

  // The exponent of x^n for a small integer n, else 0.
  int small_power(const Node& n) const {
    if (n.op != Op::kPower || !graph_.is_constant(n.b)) return 0;
    const double exponent = graph_.constant_value(n.b);
    const bool small = exponent == std::trunc(exponent) && std::fabs(exponent) <= kMaxExpandedPower;
    return small ? static_cast<int>(exponent) : 0;
  }

  // Square and multiply, from the low bit up: powers of one base share their squares.
  int lower_power(int base, int exponent) {
    int result = kNone;
    int square = base;
    for (int bits = std::abs(exponent);;) {
      if (bits & 1) result = result == kNone ? square : emit(Code::kMultiply, square, result);
      bits >>= 1;
      if (bits == 0) break;
      square = emit(Code::kMultiply, square, square);
    }
    if (exponent > 0) return result;
    return emit(Code::kDivide, find_constant(1.0), result);
  }

  // Products are numbered anew, since the powers make some that the graph may hold too.
  int emit(Code code, int a, int b, int c = kNone) {
    if (code != Code::kMultiply) return add_value({.code = code, .a = a, .b = b, .c = c});
    const auto [low, high] = std::minmax(a, b);
    const auto key = static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint64_t>(high);
    const auto [found, is_new] = products_.try_emplace(key, 0);
    if (is_new) found->second = add_value({.code = code, .a = low, .b = high});
    return found->second;
  }

  // --- fusion ---
  void count_uses() {
    for (const int id : outputs_) ++value(id).uses;
    for (int id = static_cast<int>(values_.size()) - 1; id >= 0; --id) {
      if (!is_operation(id)) continue;
      for (const int k : operands(value(id))) {
        if (k != kNone) ++value(k).uses;
      }
    }
  }

  bool is_lone_product(int id) {
    const Value& v = value(id);
    return v.kind == Kind::kOperation && v.code == Code::kMultiply && v.uses == 1;
  }

  // A product with one use, in a sum, is computed together with the sum.
  void fuse_products() {
    for (Value& v : values_) {
      if (v.kind != Kind::kOperation) continue;
      if (v.code == Code::kAdd && is_lone_product(v.b))
        absorb(v, v.b, v.a, Code::kMultiplyAdd);
      else if (v.code == Code::kAdd && is_lone_product(v.a))
        absorb(v, v.a, v.b, Code::kMultiplyAdd);
      else if (v.code != Code::kSubtract)
        continue;
      else if (is_lone_product(v.b))
        absorb(v, v.b, v.a, Code::kSubtractMultiply);
      else if (is_lone_product(v.a))
        absorb(v, v.a, v.b, Code::kMultiplySubtract);
    }
  }

  void absorb(Value& sum, int product, int other, Code code) {
    sum.code = code;
    sum.a = value(product).a;
    sum.b = value(product).b;
    sum.c = other;
    value(product).kind = Kind::kDead;
  }

  // Sine and cosine of one angle become one instruction with two results.
  void pair_sines() {
    std::unordered_map<int, int> sine_of;
    for (int id = 0; id < static_cast<int>(values_.size()); ++id) {
      if (is_operation(id) && value(id).code == Code::kSin) sine_of.emplace(value(id).a, id);
    }
    for (int id = 0; id < static_cast<int>(values_.size()); ++id) {
      if (!is_operation(id) || value(id).code != Code::kCos) continue;
      const auto found = sine_of.find(value(id).a);
      if (found == sine_of.end()) continue;
      --value(value(id).a).uses;  // the angle is read once for both
      value(found->second).code = Code::kSinCos;
      value(found->second).b = id;
      value(id).kind = Kind::kSecond;
      value(id).a = found->second;
    }
  }

  // --- scheduling ---
  int producer(int id) { return value(id).kind == Kind::kSecond ? value(id).a : id; }

  // Greedy: the code with the most instructions ready goes next, and goes on while instructions
  // of that code become ready.
  void schedule() {
    find_dependents();
    std::array<std::vector<int>, static_cast<std::size_t>(Code::kCount)> ready;
    const auto bucket = [&](int id) -> auto& {
      return ready[static_cast<std::size_t>(value(id).code)];
    };
    for (int id = 0; id < static_cast<int>(values_.size()); ++id) {
      if (is_operation(id) && waiting_[static_cast<std::size_t>(id)] == 0) bucket(id).push_back(id);
    }
    for (;;) {
      const auto longest =
          std::max_element(ready.begin(), ready.end(),
                           [](const auto& x, const auto& y) { return x.size() < y.size(); });
      if (longest->empty()) break;
      for (std::size_t k = 0; k < longest->size(); ++k) {
        const int id = (*longest)[k];
        sequence_.push_back(id);
        for (const int d : dependents(id)) {
          if (--waiting_[static_cast<std::size_t>(d)] == 0) bucket(d).push_back(d);
        }
      }
      longest->clear();
      tape_.runs_.push_back({static_cast<Code>(longest - ready.begin()),
                             static_cast<std::int32_t>(sequence_.size())});
    }
  }

  // Compressed rows: dependents of value v are at [first_[v], first_[v + 1]).
  void find_dependents() {
    first_.assign(values_.size() + 1, 0);
    waiting_.assign(values_.size(), 0);
    for_each_edge([&](int from, int to) {
      ++first_[static_cast<std::size_t>(from) + 1];
      ++waiting_[static_cast<std::size_t>(to)];
    });
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    dependents_.resize(static_cast<std::size_t>(first_.back()));
    std::vector<int> next(first_.begin(), first_.end() - 1);
    for_each_edge([&](int from, int to) {
      dependents_[static_cast<std::size_t>(next[static_cast<std::size_t>(from)]++)] = to;
    });
  }

  template <class Visit>
  void for_each_edge(Visit visit) {
    for (int id = 0; id < static_cast<int>(values_.size()); ++id) {
      if (!is_operation(id)) continue;
      for (const int k : operands(value(id))) {
        if (k != kNone && is_operation(producer(k))) visit(producer(k), id);
      }
    }
  }

  std::span<const int> dependents(int id) const {
    const auto begin = static_cast<std::size_t>(first_[static_cast<std::size_t>(id)]);
    const auto end = static_cast<std::size_t>(first_[static_cast<std::size_t>(id) + 1]);
    return {dependents_.data() + begin, end - begin};
  }

  // --- registers ---
  void assign_registers() {
    place_leaves();
    for (const int id : sequence_) assign(id);
    for (const int id : outputs_) tape_.outputs_.push_back(value(id).location);
  }

  void place_leaves() {
    for (Value& v : values_) {
      if (v.kind == Kind::kInput) v.location = tape_.register_count_++;
    }
    for (Value& v : values_) {
      if (v.kind != Kind::kConstant || v.uses == 0) continue;
      v.location = tape_.register_count_++;
      tape_.constants_.push_back(v.constant);
    }
  }

  // Operands that die here give their registers to the result: all reads precede the writes.
  void assign(int id) {
    Value& v = value(id);
    std::array<int, 3> from{0, 0, 0};
    const std::array<int, 3> ids = operands(v);
    for (std::size_t k = 0; k < 3; ++k) {
      if (ids[k] != kNone) from[k] = value(ids[k]).location;
    }
    for (const int k : ids) {
      if (k != kNone) release(k);
    }
    v.location = take_register();
    if (v.code == Code::kSinCos) from[1] = value(v.b).location = take_register();
    tape_.instructions_.push_back({v.location, from[0], from[1], from[2]});
  }

  void release(int id) {
    Value& v = value(id);
    const bool temporary = v.kind == Kind::kOperation || v.kind == Kind::kSecond;
    if (--v.uses == 0 && temporary) free_.push_back(v.location);
  }

  int take_register() {
    if (free_.empty()) return tape_.register_count_++;
    const int location = free_.back();
    free_.pop_back();
    return location;
  }

  const Graph& graph_;
  const Subgraph sub_;
  Tape& tape_;
  std::vector<Value> values_;
  std::vector<int> outputs_;  // values
  std::unordered_map<Expr, int> input_of_;
  std::unordered_map<std::uint64_t, int> constant_of_;  // by bits
  std::unordered_map<std::uint64_t, int> products_;     // by operands
  std::vector<int> first_, dependents_, waiting_;
  std::vector<int> sequence_;  // operations in the order of execution
  std::vector<int> free_;      // registers to use again, the last freed first
};

Tape::Tape(const Graph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs) {
  TapeCompiler(graph, inputs, outputs, *this);
}

}  // namespace clack::formula
