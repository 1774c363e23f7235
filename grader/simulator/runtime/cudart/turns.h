// Threads that take turns, call by call, so that what a library shares between threads is caught every time.
//
// graderRuntimeTurns(n) begins it, before the threads start. Each of them first calls graderRuntimeTakeTurn(i), with i
// from 0 to n-1, which returns when it is its turn; thread 0 begins. From then on only the thread whose turn it is
// runs: each CUDA call that it makes passes the turn to the next at its end, and returns when the turn has come round.
// A thread that ends, or calls graderRuntimeTurnOver, is left out. Other threads are not affected.
//
// A library may hold a lock over its CUDA calls, as it should. The thread whose turn it is then waits for one that
// waits for its turn. So a thread that makes no call for a while loses its turn, and gets none until it makes one.
#pragma once

namespace grader {

// The calling thread's turn, for the time of one call: waits for it, passes it on. Nothing for a thread without turns.
class Turn {
 public:
  Turn();
  ~Turn();
  Turn(const Turn&) = delete;
};

// For the time in which a call runs a host function, which may wait for another thread: the turn may be lost.
class Interlude {
 public:
  Interlude();
  ~Interlude();
  Interlude(const Interlude&) = delete;
};

}  // namespace grader
