// The search for format combinations, as the builder goes about it: position by position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "value.h"

namespace host {

// Finds the complete combinations that a plugin accepts. `candidates` holds for each position a list of [type, format];
// `accepts` sets a position and asks the plugin about it. Returns [combinations, number of calls, whether all were tried];
// a combination is a list of [type, format]. At most `most` are returned.
Value searchFormats(size_t positions, const Value& candidates, int64_t most,
                    const std::function<bool(size_t position, int32_t type, int32_t format)>& accepts);

}  // namespace host
