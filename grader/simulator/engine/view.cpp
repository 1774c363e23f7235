#include "view.h"

#include <algorithm>

namespace {

constexpr u32 kJoinedBits = 12, kJoined = 1u << kJoinedBits;

u32 above(u32 key, u32 bit) { return key & ~((bit << 1) - 1); }

const Row* row_of(const View& view, s32 warp) {
  for (const Row& row : view.rows) {
    if (row.warp == warp) return &row;
  }
  return nullptr;
}

// Whether `a` says all that `b` says of their block.
bool covers(const View& a, const View& b) {
  if (a.floor < b.floor) return false;
  for (const Row& theirs : b.rows) {
    const Row* ours = row_of(a, theirs.warp);
    for (int l = 0; l < kLanes; l++) {
      if (theirs.lane[l] > std::max(a.floor, ours ? ours->lane[l] : 0)) return false;
    }
  }
  return true;
}

}  // namespace

const View* Views::keep(View view) {
  view.number = static_cast<u32>(all_.size());
  bytes_ += sizeof(View) + view.rows.size() * sizeof(Row);
  all_.push_back(std::move(view));
  return &all_.back();
}

const View* Views::block(u32 block, Moment floor, std::vector<Row> rows) {
  return keep({block, 0, nullptr, nullptr, floor, 0, std::move(rows)});
}

const View* Views::join_block(const View* a, const View* b) {
  if (covers(*a, *b)) return a;
  if (covers(*b, *a)) return b;
  View both = *a;
  both.floor = std::max(a->floor, b->floor);
  for (const Row& row : b->rows) {
    auto at = std::lower_bound(both.rows.begin(), both.rows.end(), row.warp,
                               [](const Row& r, s32 warp) { return r.warp < warp; });
    if (at == both.rows.end() || at->warp != row.warp) {
      both.rows.insert(at, row);
    } else {
      for (int l = 0; l < kLanes; l++) at->lane[l] = std::max(at->lane[l], row.lane[l]);
    }
  }
  return keep(std::move(both));
}

const View* Views::fork(const View* a, const View* b) {
  u32 bit = 1u << (31 - __builtin_clz(a->key ^ b->key));
  if (a->key & bit) std::swap(a, b);
  return keep({above(a->key, bit), bit, a, b, 0, 0, {}});
}

// Of two views of the same blocks.
const View* Views::merge(const View* a, const View* b) {
  if (!a->bit) return join_block(a, b);
  const View *left = join(a->left, b->left), *right = join(a->right, b->right);
  if (left == a->left && right == a->right) return a;
  if (left == b->left && right == b->right) return b;
  return keep({a->key, a->bit, left, right, 0, 0, {}});
}

const View* Views::join(const View* a, const View* b) {
  if (!a || a == b) return b;
  if (!b) return a;
  if (a->bit < b->bit) std::swap(a, b);
  if (a->bit == b->bit) {
    if (a->key != b->key) return fork(a, b);
    if (joined_.empty()) joined_.assign(kJoined, Joined{});
    Joined& joined = joined_[(a->number * 0x9e3779b1u ^ b->number * 0x85ebca6bu) >> (32 - kJoinedBits)];
    if (joined.a != a || joined.b != b) {
      const View* both = merge(a, b);
      joined = {a, b, both};
    }
    return joined.both;
  }
  if (above(b->key, a->bit) != a->key) return fork(a, b);
  bool to_right = b->key & a->bit;
  const View *old = to_right ? a->right : a->left, *fresh = join(old, b);
  if (fresh == old) return a;
  return keep({a->key, a->bit, to_right ? a->left : fresh, to_right ? fresh : a->right, 0, 0, {}});
}

bool knows(const View* view, u32 block, s32 warp, int lane, Moment moment) {
  while (view && view->bit) view = block & view->bit ? view->right : view->left;
  if (!view || view->key != block) return false;
  if (moment < view->floor) return true;
  const Row* row = row_of(*view, warp);
  return row && moment < row->lane[lane];
}
