// Two threads that take turns, call by call, so that what a library shares between threads is caught every time.
//
// graderRuntimeTurns(n) begins it, before the threads start. Each of them first calls graderRuntimeTakeSeat(i), i from 0
// to n-1, which returns when it is its turn; seat 0 begins. From then on only the thread whose turn it is runs: each
// CUDA call that it makes passes the turn to the next seat at its end and waits until it comes round. A thread that
// ends, or calls graderRuntimeLeaveSeat, is left out. Threads without a seat are not affected.
//
// A library may hold a lock over its CUDA calls, as it should. The thread whose turn it is then waits for a thread that
// waits for its turn; so a turn in which nothing happens for a while is over.
#pragma once

namespace grader {

// The calling thread's turn, for the time of one call: waits for it, passes it on. Nothing for a thread without a seat.
class Turn {
 public:
  Turn();
  ~Turn();
  Turn(const Turn&) = delete;
};

}  // namespace grader
