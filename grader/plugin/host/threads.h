// Two contexts in two threads, as a server runs an engine.
#pragma once

#include "value.h"

namespace host {

// [rounds, [[plugin, inputs, outputs, run's arguments], ...] for each thread: its steps in turn]. Each round of a thread goes through
// its steps: onShapeChange, then enqueue. Returns for each thread the statuses of its calls.
Value runInThreads(const Value& arguments);

}  // namespace host
