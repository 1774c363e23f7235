// Marks of many lanes at once.
#pragma once
#include "lanes.h"
#include "shadow.h"

// The cells of each lane: `count` from `index` on.
struct Spot {
  const u32* index;
  u32 lanes, count;
  bool run;  // all lanes, one cell each, one behind the other

  Spot(const u32* index, u32 lanes, u32 count) : index(index), lanes(lanes), count(count) {
    run = lanes == kAllLanes && count == 1;
    if (!run) return;
    u32 step = 0;
    EACH_LANE step |= index[l] ^ (index[0] + static_cast<u32>(l));
    run = !step;
  }
  void load(const Mark* marks, u32 k, Mark* into) const {
    if (run) {
      memcpy(into, marks + index[0], kLanes * sizeof(Mark));
    } else {
      EACH_LANE into[l] = marks[index[l] + k];
    }
  }
  void store(Mark* marks, u32 k, Mark mine) const {
    if (run) {
      Mark* to = marks + index[0];
      EACH_LANE to[l] = mine | static_cast<u32>(l);
    } else if (lanes == kAllLanes) {
      EACH_LANE marks[index[l] + k] = mine | static_cast<u32>(l);
    } else {
      each_active(lanes, [&](int l) { marks[index[l] + k] = mine | static_cast<u32>(l); });
    }
  }
  // Whether no other lane stored in the same cell.
  bool holds(const Mark* marks, u32 k, Mark mine) const {
    u32 other = 0;
    if (lanes == kAllLanes) {
      EACH_LANE other |= marks[index[l] + k] ^ (mine | static_cast<u32>(l));
    } else {
      each_active(lanes, [&](int l) { other |= marks[index[l] + k] ^ (mine | static_cast<u32>(l)); });
    }
    return !other;
  }
  void clear(Mark* marks, u32 k) const {
    if (run) {
      memset(marks + index[0], 0, kLanes * sizeof(Mark));
    } else {
      each_active(lanes, [&](int l) { marks[index[l] + k] = 0; });
    }
  }
};
