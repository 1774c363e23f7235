#include "formats.h"

namespace host {
namespace {

constexpr int64_t kMostCalls = 2'000'000;

struct Search {
  size_t positions;
  const Value& candidates;
  int64_t most;
  const std::function<bool(size_t, int32_t, int32_t)>& accepts;
  List chosen{}, found{};
  int64_t calls = 0;
  bool whole = true;

  void from(size_t position) {
    if (position == positions) {
      found.push_back(chosen);
      return;
    }
    for (const Value& candidate : candidates[position].items()) {
      if (calls >= kMostCalls || static_cast<int64_t>(found.size()) >= most) {
        whole = false;
        return;
      }
      ++calls;
      if (!accepts(position, candidate[0].small(), candidate[1].small())) continue;
      chosen.push_back(candidate);
      from(position + 1);
      chosen.pop_back();
    }
  }
};

}  // namespace

Value searchFormats(size_t positions, const Value& candidates, int64_t most,
                    const std::function<bool(size_t, int32_t, int32_t)>& accepts) {
  Search search{positions, candidates, most, accepts};
  search.from(0);
  return List{search.found, search.calls, search.whole};
}

}  // namespace host
