#include "turns.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <vector>

#include "cudart.h"

namespace grader {
namespace {

constexpr auto PATIENCE = std::chrono::milliseconds(100);
constexpr unsigned MORE_PATIENCE = 20;  // times as long with a thread that computes, or was not given a processor

enum class Seat {
  AWAITED,  // its thread has not come yet
  HERE,
  STALLED,  // lost its turn: its thread makes no calls
  LEFT,
};

std::mutex& mutex = *new std::mutex;
auto& changed = *new std::condition_variable;
auto& seats = *new std::vector<Seat>;
pid_t holder = 0;      // the system's number of the thread whose turn it is
size_t turn = 0;       // the seat whose turn it is
bool in_call = false;  // its thread is in a CUDA call, which takes as long as it takes
unsigned passed = 0;   // how often the turn was passed on
unsigned round = 0;    // of graderRuntimeTurns

void pass() {
  const size_t from = turn;
  for (size_t step = 1; step <= seats.size(); ++step) {
    turn = (from + step) % seats.size();
    if (seats[turn] <= Seat::HERE) break;
  }
  in_call = false;
  ++passed;
  changed.notify_all();
}

// Whether a thread of this process sleeps: waits for a lock, or reads.
bool sleeps(pid_t id) {
  char path[64], state = 'S';
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", static_cast<int>(id));
  if (FILE* file = fopen(path, "re")) {
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 'S';
    fclose(file);
  }
  return state != 'R';
}

// Of a thread.
struct Place {
  int number = -1;
  unsigned taken_in = 0;  // which round

  bool taken() const { return number >= 0 && taken_in == round; }
  bool mine() const { return turn == static_cast<size_t>(number); }
  Seat& seat() const { return seats[static_cast<size_t>(number)]; }

  void wait(std::unique_lock<std::mutex>& lock) const {
    seat() = Seat::HERE;
    for (unsigned waited = 0; taken() && !mine();) {
      const unsigned seen = passed;
      const bool moved = changed.wait_for(lock, PATIENCE, [&] { return !taken() || passed != seen; });
      waited = moved || in_call || seats[turn] == Seat::AWAITED ? 0 : waited + 1;
      if (waited == 0 || (waited < MORE_PATIENCE && !sleeps(holder))) continue;
      seats[turn] = Seat::STALLED;
      pass();
    }
    if (taken()) holder = gettid();
  }

  void leave() {
    const std::lock_guard lock(mutex);
    if (!taken()) return;
    seat() = Seat::LEFT;
    if (mine()) pass();
    number = -1;
  }

  ~Place() { leave(); }
};

thread_local Place place;

void in_call_is(bool value) {
  if (place.number < 0) return;
  const std::lock_guard lock(mutex);
  if (place.taken() && place.mine()) in_call = value;
}

}  // namespace

Turn::Turn() {
  if (place.number < 0) return;
  std::unique_lock lock(mutex);
  if (!place.taken()) return;
  place.wait(lock);
  in_call = true;
}

Turn::~Turn() {
  if (place.number < 0) return;
  std::unique_lock lock(mutex);
  if (!place.taken()) return;
  if (place.mine()) pass();
  place.wait(lock);
}

Interlude::Interlude() { in_call_is(false); }
Interlude::~Interlude() { in_call_is(true); }

}  // namespace grader

using namespace grader;

EXPORTED void graderRuntimeTurns(int threads) {
  const std::lock_guard lock(mutex);
  seats.assign(threads > 0 ? static_cast<size_t>(threads) : 0, Seat::AWAITED);
  turn = 0;
  in_call = false;
  ++round;
  changed.notify_all();
}

EXPORTED cudaError_t graderRuntimeTakeTurn(int number) {
  std::unique_lock lock(mutex);
  const auto index = static_cast<size_t>(number);
  if (number < 0 || index >= seats.size() || seats[index] != Seat::AWAITED) return cudaErrorInvalidValue;
  place.number = number;
  place.taken_in = round;
  place.wait(lock);
  return cudaSuccess;
}

EXPORTED void graderRuntimeTurnOver() { place.leave(); }
