// A body problem laid out for vector instructions: contacts in batches of eight that share no body,
// bodies as lines of 64 bytes.
//
// Inside, a body moves by v, the change of its velocity, and s, with omega = omega_free + J s and
// J J' the inverse inertia: then M^-1 is 1/m for v and 1 for s, and no inertia is read in a sweep.
// Four kinds of batches, by the shape of W_ii and by the number of bodies that move:
//
//   sphere    isotropic bodies whose arms are along n: r, u and w are world vectors, W_ii has the
//             eigenvalues w_n, w_t, w_t. The arm's length belongs to the contact: the point of
//             contact lies midway in the gap
//   general   r, u and w in axes N, P1, P2 with P1, P2 the eigenvectors of
//             S = W_TT - W_TN W_NT / W_NN                                          (eq:body_schur)
//
// Contacts are cut, in their order, into chunks whose bodies fit into the cache next to the core,
// and coloured inside a chunk; a sweep does all colours of a chunk, then the next chunk. Chunks are
// coloured as well: those of one colour share no body and may run at the same time. Where the
// bodies no longer fit into the cache and have positions, lines and contacts are ordered along
// Morton's curve through cells of space. The layout depends on the problem alone: it
// is the same for all instruction sets (narrower vectors go through a batch in several steps) and
// for any number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "clack/core/large_array.hpp"
#include "clack/problem/body_problem.hpp"
#include "clack/solve/bodies/team.hpp"

namespace clack {

inline constexpr int kBatchLanes = 8;

enum class BatchKind : std::int8_t { sphere_pair, sphere_wall, general_pair, general_wall };
inline constexpr int kBatchKinds = 4;

struct alignas(64) BodyLine {
  double v[3];          // [m/s]
  double s[3];          // J^-1 (omega - omega_free) [m/s sqrt(kg)]
  double inverse_mass;  // [1/kg]
  double root;          // sqrt of an isotropic inverse inertia, -1: not isotropic [1/(m sqrt(kg))]
};

struct alignas(64) BatchRow {
  double lane[kBatchLanes];
};

struct alignas(64) BatchIds {
  std::int32_t a[kBatchLanes];  // walls: not used
  std::int32_t b[kBatchLanes];
};

// The rows of a record, one record a batch.
namespace batch_row {
inline constexpr int kImpulses = 0;  // 3 and 3: the impulse and the one before, in turn
inline constexpr int kNormal = 6;    // 3
inline constexpr int kOffset = 9;    // 3: u at r = 0
inline constexpr int kMu = 12;
inline constexpr int kLeverB = 13;  // sphere: length of the arm times root [1/sqrt(kg)]
inline constexpr int kLeverA = 14;
inline constexpr int kSphereWallRows = 14;
inline constexpr int kSpherePairRows = 15;
inline constexpr int kMobility = 13;      // general: 1 / W_NN
inline constexpr int kRho = 14;           // 1 / largest eigenvalue of W_ii
inline constexpr int kTangent = 15;       // 3: P1; P2 = N x P1
inline constexpr int kSkew = 18;          // 2: W_TN / W_NN
inline constexpr int kSchur = 20;         // 2: eigenvalues of S
inline constexpr int kSchurInverse = 22;  // 2
inline constexpr int kRowsB = 24;         // 9: rows of H' for s of b
inline constexpr int kRowsA = 33;         // 9: of a
inline constexpr int kWallRows = 33;
inline constexpr int kPairRows = 42;
}  // namespace batch_row

constexpr int record_rows(BatchKind kind) {
  constexpr int kRows[kBatchKinds] = {batch_row::kSpherePairRows, batch_row::kSphereWallRows,
                                      batch_row::kPairRows, batch_row::kWallRows};
  return kRows[static_cast<int>(kind)];
}

// The rows that weigh the error in velocity of a batch (eq:velocity_error): while records are
// filled lambda_i and |u_free|^2, then 1 / lambda_i and lambda_i^2 / s_I^2.
inline constexpr int kScaleRows = 2;
inline constexpr int kMeanEigenvalue = 0, kFreeSquare = 1;
inline constexpr int kVelocityStep = 0, kVelocityWeight = 1;

// What a pass works on.
struct BatchView {
  int dim = 3;
  BodyLine* lines = nullptr;
  const BodyLine* previous_lines = nullptr;
  const std::int32_t* visits = nullptr;
  int impulse = 0, previous = 3;  // rows of the impulses and of those before
  std::array<BatchRow*, kBatchKinds> rows{};
  std::array<const BatchIds*, kBatchKinds> ids{};
  BatchRow* velocity = nullptr;  // 3 a batch, over all kinds: u of the Barzilai-Borwein steps
  BatchRow* scales = nullptr;    // kScaleRows per batch, over all kinds
};

// The batches of one kind and one colour of a chunk: a unit of a sum.
struct BatchBlock {
  BatchKind kind;
  int begin, end;  // batches of this kind
  int first;       // number of the first batch over all kinds
  // Of ContactBatches::visits: what the next chunk needs and this block asks for in time, and the
  // end of its first visits.
  int ahead_begin = 0, ahead_end = 0, ahead_first_end = 0;
};

// Where a contact went; inert contacts, between bodies that cannot move, have no batch.
struct BatchSlot {
  BatchKind kind = BatchKind::sphere_pair;
  bool flipped = false;  // body a moves and b does not: the contact is seen from the other side
  int position = -1;     // batch * kBatchLanes + lane, -1: inert
};

class ContactBatches {
 public:
  // Colours the contacts greedily and packs them, with their impulses: world vectors, one a
  // contact.
  void build(const BodyProblem& problem, const Eigen::Vector3d* impulses, Team& team);

  BatchView view();  // without the velocities of steps

  // Impulses into the records and back. Those of before are good after a push only.
  void load_impulses(const Eigen::Vector3d* impulses);
  void store_impulses(Eigen::Vector3d* impulses, Team& team) const;
  // Vectors of the records' kind, three rows a batch, as local values of the problem.
  void store_velocities(const BodyProblem& problem, const BatchRow* from, double* u,
                        Team& team) const;
  // v = v_free + M^-1 H r, six values a body, from the lines.
  void store_body_velocities(const BodyProblem& problem, double* v, Team& team) const;
  void clear_lines();  // to rest: v = s = 0

  int batches() const { return batches_; }
  // Blocks of chunk c in the order of a sweep: [chunk_begin[c], chunk_begin[c + 1]).
  const std::vector<BatchBlock>& blocks() const { return blocks_; }
  const std::vector<int>& chunk_begin() const { return chunk_begin_; }
  // Chunks [phase_begin[p], phase_begin[p + 1]) share no body.
  const std::vector<int>& phase_begin() const { return phase_begin_; }
  int colours() const { return colours_; }  // most of a chunk, over all kinds
  int contacts_packed() const { return static_cast<int>(work_.size()); }
  double lane_fill() const { return batches_ > 0 ? contacts_packed() / (8.0 * batches_) : 1; }

  std::size_t records(BatchKind kind) const { return ids_[static_cast<std::size_t>(kind)].size(); }
  BatchRow* rows(BatchKind kind) { return rows_[static_cast<std::size_t>(kind)].data(); }
  const BatchIds* ids(BatchKind kind) const { return ids_[static_cast<std::size_t>(kind)].data(); }
  // The first of the three rows of the impulses; those of before are at the other place. What is
  // new is written over what is oldest, then the two change places: nothing is copied.
  int impulse_row() const { return impulse_row_; }
  int previous_row() const { return 3 - impulse_row_; }
  void swap_impulses() { impulse_row_ = previous_row(); }
  LargeArray<BodyLine>& lines() { return lines_; }
  LargeArray<BodyLine>& previous_lines() { return previous_; }
  void swap_lines() { lines_.swap(previous_); }
  // The lines that chunk c is the first to touch, of ContactBatches::visits.
  std::pair<int, int> first_visits(std::size_t c) const {
    return {visits_of_[c].begin, visits_of_[c].first_end};
  }
  // |u_free|^2, |D^-1 u_free|^2, and the measures of the inert contacts at r = 0.
  const ResidualSums& constants() const { return constants_; }

 private:
  // Colours below 64 by a mask a body, further ones (a body with very many contacts) by a counter.
  struct Palette {
    LargeArray<std::uint64_t> taken;
    std::vector<int> overflow;  // empty until needed
    void reset(std::size_t bodies);
    void forget(std::size_t body);
    int pick(std::size_t a, std::size_t b);
  };
  // A contact that is packed; a and b are its lines, the same at a wall.
  struct Work {
    std::int32_t contact, a, b;
    BatchKind kind;
    bool flipped;
  };

  void order_bodies(const BodyProblem& problem);
  void set_lines(const BodyProblem& problem, Team& team);
  void classify(const BodyProblem& problem);
  void order_work();
  static bool is_central(const BodyLine& line, const Eigen::Vector3d& normal,
                         const Eigen::Vector3d& arm);
  void colour_contacts();
  std::size_t chunk_end(std::size_t begin) const {
    return std::min(begin + contacts_in_chunk_, work_.size());
  }
  int colour_chunk(std::size_t begin, std::size_t end);
  void place();
  void place_chunk(std::size_t begin, std::size_t end);
  void look_ahead();
  void fill(const BodyProblem& problem, const Eigen::Vector3d* impulses, Team& team);
  void fill_block(const BodyProblem& problem, const Eigen::Vector3d* impulses,
                  const BatchBlock& block, ResidualSums& sums);
  void fill_padding(const BatchSlot& slot);
  void fill_spheres(const BodyProblem& problem, const Eigen::Vector3d* impulses, const int* works,
                    BatchKind kind, int batch);
  void fill_sphere(const BodyContact& contact, int dim, const Eigen::Vector3d& impulse,
                   const Work& work, double* at);
  void fill_general(const BodyProblem& problem, const BodyContact& contact, const BatchSlot& slot,
                    ResidualSums& sums);
  void add_inert(const BodyProblem& problem, const BodyContact& contact);
  void find_islands();
  void weigh_velocities(Team& team);
  BatchRow* scales_of(const BatchSlot& slot) {
    const int batch =
        first_batch_[static_cast<std::size_t>(slot.kind)] + slot.position / kBatchLanes;
    return scales_.data() + kScaleRows * static_cast<std::ptrdiff_t>(batch);
  }
  Eigen::Vector3d free_velocity(const BodyContact& contact, int dim) const;
  void load_impulse(const BatchSlot& slot, const Eigen::Vector3d& world);
  int line_of(int body) const { return line_of_[static_cast<std::size_t>(body)]; }
  const BodyLine& line(int body) const { return lines_[static_cast<std::size_t>(line_of(body))]; }
  const double* cell(const BatchSlot& slot, int row) const {
    const auto position = static_cast<std::size_t>(slot.position);
    const std::size_t record =
        position / kBatchLanes * static_cast<std::size_t>(record_rows(slot.kind));
    const LargeArray<BatchRow>& rows = rows_[static_cast<std::size_t>(slot.kind)];
    return rows[record + static_cast<std::size_t>(row)].lane + position % kBatchLanes;
  }
  double* cell(const BatchSlot& slot, int row) {
    return const_cast<double*>(std::as_const(*this).cell(slot, row));
  }
  Eigen::Vector3d to_axes(const BatchSlot& slot, const Eigen::Vector3d& world) const;
  Eigen::Vector3d from_axes(const BatchSlot& slot, const Eigen::Vector3d& value) const;

  std::array<LargeArray<BatchRow>, kBatchKinds> rows_;
  std::array<LargeArray<BatchIds>, kBatchKinds> ids_;
  int impulse_row_ = batch_row::kImpulses;
  std::array<LargeArray<int>, kBatchKinds> work_at_;  // of work_, by position; -1: padding
  std::array<int, kBatchKinds> first_batch_{};        // over all kinds
  LargeArray<BodyLine> lines_, previous_;  // one more than bodies: padding lanes point at the last
  std::vector<Eigen::Matrix3d> factor_;    // J, by body; only of those that are not isotropic
  LargeArray<int> line_of_;                // by body
  bool reordered_ = false;                 // lines are not in the order of bodies
  LargeArray<BatchSlot> slots_;
  LargeArray<Work> work_, sorted_;  // chunks are pieces of it
  std::vector<int> inert_;
  std::vector<Eigen::Vector3d> inert_velocity_;  // u of each, frame of the surroundings
  std::array<Palette, kBatchKinds> palettes_;
  Palette chunk_palette_;
  LargeArray<int> colour_;  // inside the chunk, along work_
  std::size_t contacts_in_chunk_ = 1;
  std::vector<int> chunk_colour_;
  std::vector<BatchBlock> blocks_;
  std::vector<int> chunk_begin_, phase_begin_;
  // The lines that a chunk touches; those that no chunk before it does come first.
  struct ChunkVisits {
    int begin, first_end, end;
  };
  LargeArray<std::int32_t> visits_;
  std::vector<std::int32_t> visits_again_;  // of a chunk
  std::vector<ChunkVisits> visits_of_;      // by chunk
  LargeArray<int> last_visit_;              // by line; -1: none
  std::array<std::vector<int>, kBatchKinds> next_in_colour_;
  std::array<int, kBatchKinds> next_batch_{};
  LargeArray<int> cell_of_;  // by body, along the curve
  std::vector<int> count_;
  std::vector<ResidualSums> sums_;  // by block
  ResidualSums constants_;
  LargeArray<BatchRow> scales_;  // kScaleRows per batch
  Components islands_;           // of lines
  LargeArray<int> island_of_;    // by line
  std::vector<double> free_;     // by island: largest |u_free|^2
  double fastest_ = 0;           // of all [m/s]
  int dim_ = 3, batches_ = 0, colours_ = 0;
};

}  // namespace clack
