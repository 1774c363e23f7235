// A launch: which blocks are resident, and in which order they run. The order is fixed, so that the same launch
// always gives the same bytes and counters.
//
// Blocks begin in the order of their numbers. One that waits for others stays resident while the next begin, up
// to a number that an H200 holds whatever a block needs: one for each of its multiprocessors. Then those that
// are resident take turns, and another begins when one of them is done.
#include <algorithm>
#include <memory>
#include <new>
#include <system_error>
#include <thread>

#include "block.h"
#include "races.h"

namespace {

constexpr s64 kMostBytes = 256 << 20;  // of local and shared memory of all resident blocks

// Blocks that one thread of the host runs: chunks of the grid, every `step`-th from `first` on.
struct Share {
  s64 first_chunk, step;
};

s64 most_resident(const Launch& launch) {
  const LaunchRequest& request = *launch.request;
  const s64 warps = (launch.threads + kLanes - 1) / kLanes;
  const s64 bytes = 2ll * request.shared_bytes + request.local_limit * warps * kLanes + 1;
  return std::clamp<s64>(kMostBytes / bytes, 1, kMultiprocessors);
}

// What to tell of a launch that is still running when its budget is used up: the numbers of kinds.py.
enum BudgetDetail : s32 {
  kLaterBlocksMissing = 1,  // no block ends, and others have not begun
  kOnlySomeFit,             // the same, because of kMostBytes
  kManyBlocks,              // they end, one after the other, but there are too many
};

s32 budget_detail(const Block& block, bool others_wait, s64 longest, bool full, s64 most) {
  if (full) return most < kMultiprocessors ? kOnlySomeFit : kLaterBlocksMissing;
  // One that has run for far longer than those before it may have no end.
  return !others_wait && longest && block.used <= 2 * longest ? kManyBlocks : 0;
}

// The numbers of the blocks of a share, one after the other; -1: no more.
class Numbers {
 public:
  Numbers(const LaunchRequest& request, Share share, s64 chunk)
      : last_(request.last_block), chunk_(chunk), skip_((share.step - 1) * chunk),
        next_(request.first_block + share.first_chunk * chunk), left_(chunk) {}
  s64 take() {
    if (!left_) next_ += skip_, left_ = chunk_;
    if (next_ >= last_) return -1;
    left_--;
    return next_++;
  }
  bool any() const { return (left_ ? next_ : next_ + skip_) < last_; }

 private:
  s64 last_, chunk_, skip_, next_, left_;
};

void run_share(Launch& launch, Share share, s64 chunk) {
  const s64 most = most_resident(launch);
  Numbers numbers(*launch.request, share, chunk);
  std::vector<std::unique_ptr<Block>> waiting, unused;
  s64 longest = 0;  // what one of the blocks that ended used of the budget
  for (size_t turn = 0; !launch.failed();) {
    std::unique_ptr<Block> block;
    if (static_cast<s64>(waiting.size()) < most && numbers.any()) {
      if (unused.empty()) {
        block = std::make_unique<Block>();
        prepare_block(launch, *block);
      } else {
        block = std::move(unused.back());
        unused.pop_back();
      }
      begin_block(launch, *block, numbers.take());
    } else if (!waiting.empty()) {
      turn %= waiting.size();
      block = std::move(waiting[turn]);
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(turn));
    } else {
      return;
    }
    const s64 before = launch.budget;
    const bool ended = run_block(launch, *block);
    block->used += before - launch.budget;
    if (ended) {
      if (launch.failed() && launch.request->fault->kind == kBudget) {
        const bool full = numbers.any() && static_cast<s64>(waiting.size()) + 1 >= most;
        launch.request->fault->detail = budget_detail(*block, !waiting.empty(), longest, full, most);
      }
      longest = std::max(longest, block->used);
      unused.push_back(std::move(block));
    } else {
      waiting.insert(waiting.begin() + static_cast<std::ptrdiff_t>(std::min(turn, waiting.size())), std::move(block));
      turn++;
    }
  }
}

void begin(Launch& launch, LaunchRequest* request) {
  launch.request = request;
  launch.budget = request->budget;
  launch.threads = request->block[0] * request->block[1] * request->block[2];
  launch.hints.assign(static_cast<size_t>(request->code_count), -1);
  launch.patterns.assign(static_cast<size_t>(request->code_count), AccessPattern{});
}

// What one thread of the host has for itself.
struct Worker {
  LaunchRequest request;
  FaultRecord fault{};
  std::vector<Counter> counters;
  Launch launch{};
  bool out_of_memory = false;

  void run(Share share, s64 chunk) {
    try {
      run_share(launch, share, chunk);
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
    }
  }
};

// Threads that are waited for, however the scope is left.
struct Threads {
  std::vector<std::thread> all;
  void join() {
    for (std::thread& thread : all) thread.join();
    all.clear();
  }
  ~Threads() { join(); }
};

s64 number_of(const FaultRecord& fault, const LaunchRequest& request) {
  return fault.block[0] + request.grid[0] * (fault.block[1] + request.grid[1] * static_cast<s64>(fault.block[2]));
}

// Every thread runs its own chunks to their end or to its own first fault, so that what they do together does not
// depend on which is faster. Each has the whole budget.
void run_shared(LaunchRequest& request, int workers, s64 chunk) {
  std::vector<std::unique_ptr<Worker>> all;
  Threads threads;
  threads.all.reserve(static_cast<size_t>(workers));
  for (int k = 0; k < workers; k++) {
    all.push_back(std::make_unique<Worker>());
    Worker& worker = *all.back();
    worker.request = request;
    worker.request.fault = &worker.fault;
    worker.fault.other_pc = -1;
    worker.counters.assign(static_cast<size_t>(request.code_count), Counter{});
    worker.request.counters = worker.counters.data();
    begin(worker.launch, &worker.request);
    auto run = [&worker, share = Share{k, workers}, chunk] { worker.run(share, chunk); };
    try {
      if (k + 1 < workers) {
        threads.all.emplace_back(run);
        continue;
      }
    } catch (const std::system_error&) {  // no more threads may be had: this one does it
    }
    run();
  }
  threads.join();
  const s64 budget = request.budget;
  for (const std::unique_ptr<Worker>& worker : all) {
    if (worker->out_of_memory) throw std::bad_alloc();
    request.budget -= budget - worker->launch.budget;
    for (size_t k = 0; k < worker->counters.size(); k++) {
      const u64* from = &worker->counters[k].executions;
      u64* to = &request.counters[k].executions;
      for (size_t n = 0; n < sizeof(Counter) / sizeof(u64); n++) to[n] += from[n];
    }
    const FaultRecord& fault = worker->fault;
    if (fault.kind && (!request.fault->kind || number_of(fault, request) < number_of(*request.fault, request)))
      *request.fault = fault;
  }
}

void run(LaunchRequest* request) {
  request->fault->other_pc = -1;
  const s64 blocks = request->last_block - request->first_block;
  const s64 chunk = std::clamp<s64>(blocks / 64, 1, 64);
  const int workers = static_cast<int>(std::clamp<s64>(request->workers, 1, (blocks + chunk - 1) / chunk + 1));
  if (workers > 1) {
    run_shared(*request, workers, chunk);
    return;
  }
  Launch launch{};
  begin(launch, request);
  std::unique_ptr<Races> races(request->checks & kCheckRaces ? new Races : nullptr);
  launch.races = races.get();
  run_share(launch, {0, 1}, chunk);
  request->budget = launch.budget;
}

}  // namespace

extern "C" int simulator_launch(LaunchRequest* request) {
  try {
    run(request);
    return request->fault->kind;
  } catch (const std::bad_alloc&) {
    return kOutOfMemory;
  }
}

extern "C" int simulator_instruction_bytes() { return sizeof(Instruction); }
extern "C" int simulator_request_bytes() { return sizeof(LaunchRequest); }
