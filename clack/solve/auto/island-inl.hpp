// One island: contacts that are coupled through W, on their own scaled copy of the data.
//
// Scaling is one scalar a contact, D_i = (tr W_ii / dim)^-1/2, which keeps the friction cones:
// W^ = D W D, q^ = D u_free, r = D r^, u = u^ / D                                      (eq:scaling)
#if defined(CLACK_SOLVE_AUTO_ISLAND_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CLACK_SOLVE_AUTO_ISLAND_INL
#undef CLACK_SOLVE_AUTO_ISLAND_INL
#else
#define CLACK_SOLVE_AUTO_ISLAND_INL
#endif

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "clack/core/cone.hpp"
#include "clack/problem/block_sparse.hpp"
#include "clack/problem/residual.hpp"
#include "clack/solve/auto/block_rows-inl.hpp"
#include "clack/solve/auto/island_worker.hpp"
#include "clack/solve/local_solver.hpp"

HWY_BEFORE_NAMESPACE();
namespace clack {
namespace HWY_NAMESPACE {

template <int D>
class Island {
 public:
  // Copies the contacts of an island; `local` maps contacts of W to places in the island.
  void load(const BlockSparse& W, std::span<const Cone> cones, const double* u_free,
            const double* r, std::span<const int> contacts, std::vector<int>& local) {
    contacts_.assign(contacts.begin(), contacts.end());
    const int n = count();
    cones_.clear();
    for (int a = 0; a < n; ++a) {
      local[contacts[a]] = a;
      cones_.push_back(cones[contacts[a]]);
    }
    load_pattern(W, local);
    load_scales(W);
    load_values(W);
    q_.assign(n * D, 0.0);
    r_.assign(n * D, 0.0);
    u_.assign(n * D, 0.0);
    for (int a = 0; a < n; ++a) {
      const int row = W.offset()[contacts[a]];
      for (int k = 0; k < cones_[a].dim(); ++k) {
        q_[a * D + k] = scale_[a] * u_free[row + k];
        r_[a * D + k] = r[row + k] / scale_[a];
      }
    }
    step_.resize(n);
    metric_.resize(n);
    for (int a = 0; a < n; ++a) {
      double block[D * D];
      copy_diagonal(a, cones_[a].dim(), block);
      const double largest = largest_eigenvalue(block, cones_[a].dim());
      step_[a] = largest > 0 ? 1 / largest : 1.0;
      metric_[a] = largest > 0 ? VelocityMetric(cones_[a], block) : VelocityMetric();
    }
    prepare_stick();
  }

  void store(const BlockSparse& W, double* r) const {
    for (int a = 0; a < count(); ++a) {
      const int row = W.offset()[contacts_[a]];
      for (int k = 0; k < cones_[a].dim(); ++k) r[row + k] = scale_[a] * r_[a * D + k];
    }
  }

  // Puts the contacts in another order: the new contact a is the old order[a].
  void permute(const std::vector<int>& order) {
    W_ = W_.permuted(order);
    permute_list(order, contacts_);
    permute_list(order, cones_);
    permute_list(order, scale_);
    permute_list(order, step_);
    permute_list(order, metric_);
    prepare_stick();
    permute_vector(order, q_);
    permute_vector(order, r_);
    permute_vector(order, u_);
  }
  static void permute_vector(const std::vector<int>& order, std::vector<double>& vector) {
    const std::vector<double> old = vector;
    for (std::size_t a = 0; a < order.size(); ++a)
      std::copy_n(old.data() + order[a] * D, D, vector.data() + a * D);
  }

  int count() const { return static_cast<int>(contacts_.size()); }

  void update_u() {
    u_ = q_;
    for (int a = 0; a < count(); ++a) W_.add_row_product(a, r_.data(), u_.data() + a * D);
  }

  // All measures at r, which needs u up to date.
  IslandError error() const {
    IslandError sum;
    for (int a = 0; a < count(); ++a) {
      const double* r = r_.data() + a * D;
      const double* u = u_.data() + a * D;
      const double s = scale_[a];
      sum.plain += s * s * natural_map_square(cones_[a], r, u, 1 / (s * s));
      sum.scaled += s * s * natural_map_square(cones_[a], r, u, step_[a]);
      double r_square = 0;
      for (int k = 0; k < cones_[a].dim(); ++k) {
        r_square += r[k] * r[k];
        sum.u += u[k] * u[k] / (s * s);
      }
      sum.r += s * s * r_square;
      const double lambda = metric_[a].lambda;
      sum.load = std::max(sum.load, lambda * lambda * r_square / (s * s));
      const double velocity = metric_[a].error_square(cones_[a], r, u) / (s * s);
      if (velocity > sum.velocity || std::isnan(velocity)) sum.velocity = velocity;
    }
    return sum;
  }

  // One Gauss-Seidel sweep with exact local solves.
  void sweep(bool forward) {
    const int n = count();
    for (int k = 0; k < n; ++k) update_contact(forward ? k : n - 1 - k);
  }

  BlockRows<D> W_;
  std::vector<Cone> cones_;
  std::vector<double> scale_;           // D_i
  std::vector<double> q_, r_, u_;       // D values a contact, scaled
  std::vector<double> step_;            // 1 / lambda_max(W^_ii)
  std::vector<VelocityMetric> metric_;  // of W^_ii

 private:
  template <class Value>
  static void permute_list(const std::vector<int>& order, std::vector<Value>& list) {
    const std::vector<Value> old = list;
    for (std::size_t a = 0; a < order.size(); ++a) list[a] = old[order[a]];
  }

  void load_pattern(const BlockSparse& W, const std::vector<int>& local) {
    const int n = count();
    W_.begin.assign(1, 0);
    W_.column.clear();
    source_.clear();
    for (int a = 0; a < n; ++a) {
      const int i = contacts_[a];
      for (int k = W.row_pointer()[i]; k < W.row_pointer()[i + 1]; ++k) {
        W_.column.push_back(local[W.columns()[k]]);
        source_.push_back(k);
      }
      W_.begin.push_back(static_cast<int>(W_.column.size()));
    }
    if (!link_transposed()) symmetrise_pattern();
  }

  // For every block its mirror image; false if the pattern is not symmetric or not sorted.
  bool link_transposed() {
    const int n = count();
    next_.assign(W_.begin.begin(), W_.begin.end() - 1);
    W_.transposed.assign(W_.column.size(), -1);
    W_.diagonal.assign(n, -1);
    for (int i = 0; i < n; ++i) {
      for (int k = W_.begin[i]; k < W_.begin[i + 1]; ++k) {
        const int j = W_.column[k];
        if (k > W_.begin[i] && j <= W_.column[k - 1]) return false;
        if (j == i) W_.diagonal[i] = k;
        const int mirror = next_[j]++;
        if (mirror >= W_.begin[j + 1] || W_.column[mirror] != i) return false;
        W_.transposed[k] = mirror;
      }
    }
    return std::find(W_.diagonal.begin(), W_.diagonal.end(), -1) == W_.diagonal.end();
  }

  // Adds the missing mirror images as zero blocks.
  void symmetrise_pattern() {
    const int n = count();
    std::vector<std::vector<std::pair<int, int>>> rows(n);
    for (int i = 0; i < n; ++i) {
      for (int k = W_.begin[i]; k < W_.begin[i + 1]; ++k)
        rows[i].emplace_back(W_.column[k], source_[k]);
    }
    for (int i = 0; i < n; ++i) {
      for (int k = W_.begin[i]; k < W_.begin[i + 1]; ++k) rows[W_.column[k]].emplace_back(i, -1);
      rows[i].emplace_back(i, -1);
    }
    W_.begin.assign(1, 0);
    W_.column.clear();
    source_.clear();
    for (int i = 0; i < n; ++i) {
      // A stored block comes before its placeholder: larger source first.
      std::sort(rows[i].begin(), rows[i].end(), [](auto a, auto b) {
        return a.first != b.first ? a.first < b.first : a.second > b.second;
      });
      for (std::size_t k = 0; k < rows[i].size(); ++k) {
        if (k > 0 && rows[i][k].first == rows[i][k - 1].first) continue;
        W_.column.push_back(rows[i][k].first);
        source_.push_back(rows[i][k].second);
      }
      W_.begin.push_back(static_cast<int>(W_.column.size()));
    }
    link_transposed();
  }

  void load_scales(const BlockSparse& W) {
    scale_.resize(count());
    for (int a = 0; a < count(); ++a) {
      const double* block = W.block(W.diagonal_index(contacts_[a]));
      const int dim = cones_[a].dim();
      double trace = 0;
      for (int k = 0; k < dim; ++k) trace += block[k * dim + k];
      scale_[a] = trace > 0 ? 1 / std::sqrt(trace / dim) : 1.0;
    }
  }

  void load_values(const BlockSparse& W) {
    W_.value.assign(W_.column.size() * BlockRows<D>::kBlock, 0.0);
    for (int a = 0; a < count(); ++a) {
      const int rows = cones_[a].dim();
      for (int k = W_.begin[a]; k < W_.begin[a + 1]; ++k) {
        const int b = W_.column[k];
        double* target = W_.block(k);
        if (source_[k] >= 0) {
          const double* source = W.block(source_[k]);
          const double factor = scale_[a] * scale_[b];
          for (int c = 0; c < cones_[b].dim(); ++c) {
            for (int r = 0; r < rows; ++r)
              target[c * BlockRows<D>::kStride + r] = factor * source[c * rows + r];
          }
        }
        if (a == b) {
          for (int r = rows; r < D; ++r) target[r * BlockRows<D>::kStride + r] = 1.0;  // padding
        }
      }
    }
  }

  void copy_diagonal(int a, int dim, double* block) const {
    const double* source = W_.block(W_.diagonal[a]);
    for (int c = 0; c < dim; ++c) {
      for (int i = 0; i < dim; ++i) block[c * dim + i] = source[c * BlockRows<D>::kStride + i];
    }
  }

  // -W^_ii^-1 of well-conditioned blocks with friction: a contact that sticks is solved by one
  // product.
  void prepare_stick() {
    if constexpr (!kSticks) return;
    stick_.assign(D * D * cones_.size(), 0.0);
    for (int a = 0; a < count(); ++a) {
      if (cones_[a].disc_count() != 1 || cones_[a].dim() != D) continue;
      Eigen::Matrix<double, D, D> block;
      copy_diagonal(a, D, block.data());
      if (!(block.determinant() > 1e-6 * std::pow(block.trace() / D, D))) continue;
      Eigen::Map<Eigen::Matrix<double, D, D, Eigen::RowMajor>>(stick_.data() + D * D * a) =
          -block.inverse();
    }
  }

  // True where the contact is open or sticks; r is then its exact solution.
  bool try_stick(int a, const double* b, double* r) const {
    if constexpr (!kSticks) return false;
    const double* inverse = stick_.data() + D * D * a;
    if (inverse[0] == 0) return false;
    if (b[0] >= 0) {
      for (int i = 0; i < D; ++i) r[i] = 0;
      return true;
    }
    double x[D] = {};
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) x[i] += inverse[D * i + j] * b[j];
    }
    double tangent = 0;
    for (int i = 1; i < D; ++i) tangent += x[i] * x[i];
    const double limit = cones_[a].mu() * x[0];
    if (!(x[0] > 0 && tangent <= limit * limit)) return false;
    for (int i = 0; i < D; ++i) r[i] = x[i];
    return true;
  }

  void update_contact(int a) {
    const int dim = cones_[a].dim();
    double b[BlockRows<D>::kStride] = {};
    double* r = r_.data() + a * D;
    W_.add_row_product(a, r_.data(), b);
    const double* own = W_.block(W_.diagonal[a]);
    for (int i = 0; i < D; ++i) {
      b[i] += q_[a * D + i];
      for (int j = 0; j < D; ++j) b[i] -= own[j * BlockRows<D>::kStride + i] * r[j];
    }
    if (try_stick(a, b, r)) return;
    double block[D * D];
    copy_diagonal(a, dim, block);
    double local[D];
    for (int i = 0; i < D; ++i) local[i] = r[i];
    if (!solve_local(cones_[a], block, b, local)) return;
    for (int i = 0; i < dim; ++i) r[i] = local[i];
  }

  static constexpr bool kSticks = D == 2 || D == 3;
  std::vector<int> contacts_;
  std::vector<double> stick_;  // D x D by rows a contact, zeros where not used
  std::vector<int> source_;    // block of W behind each block, -1 for a zero
  std::vector<int> next_;
};

}  // namespace HWY_NAMESPACE
}  // namespace clack
HWY_AFTER_NAMESPACE();
#endif
