// The threads of `bodies`; with one nothing is handed over at all.
#pragma once

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace clack {

struct Team {
  // 0: as many as the machine has.
  explicit Team(int threads)
      : count(threads > 0 ? threads : tbb::this_task_arena::max_concurrency()),
        limit(tbb::global_control::max_allowed_parallelism,
              static_cast<std::size_t>(std::max(count, tbb::this_task_arena::max_concurrency()))),
        arena(count) {}

  // act(i) for all items, shared out in a fixed way. Inside enter() where there are several
  // threads.
  template <class Act>
  void run(int items, Act&& act) {
    if (count == 1 || items < 2) {
      for (int i = 0; i < items; ++i) act(i);
      return;
    }
    tbb::parallel_for(0, items, act, tbb::static_partitioner());
  }
  template <class Act>
  void enter(Act&& act) {
    if (count == 1) return act();
    arena.execute(act);
  }

  int count;
  tbb::global_control limit;  // as many threads as asked for, even if there are fewer cores
  tbb::task_arena arena;
};

}  // namespace clack
