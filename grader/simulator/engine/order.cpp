#include "order.h"

#include <algorithm>

namespace {

void raise(Moment& moment, Moment to) { moment = std::max(moment, to); }

u32 all_warps(int count) { return count == 32 ? ~0u : (1u << count) - 1; }

}  // namespace

void Order::begin(u32 block, int warps, Moment now) {
  block_ = block;
  warps_ = warps;
  floor_ = changed_ = now;
  warp_floor_.assign(static_cast<size_t>(warps), 0);
  met_.assign(static_cast<size_t>(warps), 0);
  threads_.clear();
  postponed.clear();
  fenced_ = false;
}

bool Order::knows(int warp, int lane, u32 block, s32 other_warp, int other_lane, Moment moment,
                  bool weak_read) const {
  if (block == block_) {
    if (moment < floor_) return true;
    if (warp == other_warp) {
      if (lane == other_lane || moment < warp_floor_[static_cast<size_t>(warp)]) return true;
      if (!lanes_.empty() && moment < lanes_[static_cast<size_t>((warp * kLanes + lane) * kLanes + other_lane)])
        return true;
    } else if (!between_.empty() && moment < between_[static_cast<size_t>(warp * warps_ + other_warp)]) {
      return true;
    }
  }
  if (threads_.empty()) return false;
  const Thread& t = threads_[static_cast<size_t>(warp * kLanes + lane)];
  auto in = [&](const View* view) { return ::knows(view, block, other_warp, other_lane, moment); };
  return in(t.known) || (!weak_read && (in(t.passed[kOfBlock]) || in(t.passed[kOfDevice])));
}

void Order::meet(const Warp& warp, u32 lanes, Moment now) {
  if (warp.live & ~lanes) return;
  met_[static_cast<size_t>(warp.id)] = changed_ = now;
}

void Order::warp_barrier(const Warp& warp, u32 lanes, Moment now) {
  changed_ = now;
  const size_t w = static_cast<size_t>(warp.id);
  if (!(warp.live & ~lanes)) {
    warp_floor_[w] = now;
  } else {
    if (lanes_.empty()) lanes_.assign(static_cast<size_t>(warps_) * kLanes * kLanes, 0);
    Moment* rows = &lanes_[w * kLanes * kLanes];
    Moment all[kLanes] = {};
    for (int l = 0; l < kLanes; l++) {
      if (!(lanes >> l & 1)) continue;
      for (int k = 0; k < kLanes; k++) raise(all[k], rows[l * kLanes + k]);
      all[l] = now;
    }
    for (int l = 0; l < kLanes; l++) {
      if (lanes >> l & 1) memcpy(rows + l * kLanes, all, sizeof all);
    }
  }
  publish(1u << warp.id, 1u << warp.id, lanes);
}

void Order::arrive(s32 barrier, int warp, Moment now) {
  changed_ = now;
  if (arrived_.empty()) arrived_.assign(static_cast<size_t>(kBarriers * warps_), 0);
  arrived_[static_cast<size_t>(barrier * warps_ + warp)] = now;
}

void Order::block_barrier(s32 barrier, u32 arrived, u32 waited, bool everybody, Moment now) {
  changed_ = now;
  if (everybody) {
    floor_ = now;
    return publish(all_warps(warps_), all_warps(warps_), kAllLanes);
  }
  const size_t count = static_cast<size_t>(warps_);
  if (between_.empty()) between_.assign(count * count, 0);
  std::vector<Moment> all(count, 0);
  for (size_t w = 0; w < count; w++) {
    if (!(arrived >> w & 1)) continue;
    for (size_t v = 0; v < count; v++) raise(all[v], between_[w * count + v]);
    raise(all[w], waited >> w & 1 ? now : arrived_[static_cast<size_t>(barrier) * count + w]);
  }
  for (size_t w = 0; w < count; w++) {
    if (!(waited >> w & 1)) continue;
    warp_floor_[w] = now;
    std::copy(all.begin(), all.end(), between_.begin() + static_cast<s64>(w * count));
  }
  publish(arrived, waited, kAllLanes);
}

void Order::fence(int warp, u32 lanes, Scope scope, Moment now) {
  changed_ = now;
  if (threads_.empty()) {
    threads_.assign(static_cast<size_t>(warps_) * kLanes, Thread{});
    for (auto& views : published_) views.assign(static_cast<size_t>(warps_), nullptr);
  }
  fenced_ = true;
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    Thread& t = thread(warp, __builtin_ctz(rest));
    for (int s = 0; s <= scope; s++) {
      t.known = views_.join(t.known, views_.join(t.seen[s], t.passed[s]));
      t.seen[s] = t.passed[s] = nullptr;
    }
    for (int s = 0; s <= scope; s++)
      t.fence[s] = {t.known, floor_, warp_floor_[static_cast<size_t>(warp)], now, nullptr};
  }
}

void Order::publish(u32 from, u32 to, u32 lanes) {
  if (threads_.empty()) return;
  const View *known = nullptr, *passed[kScopes] = {}, *fenced[kScopes] = {};
  for (u32 w = from; w; w &= w - 1) {
    const int warp = __builtin_ctz(w);
    for (int s = 0; s < kScopes; s++) fenced[s] = views_.join(fenced[s], published_[s][static_cast<size_t>(warp)]);
    Row row[kScopes] = {{warp, {}}, {warp, {}}};
    Moment floor[kScopes] = {};
    for (u32 rest = lanes; rest; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      Thread& t = thread(warp, lane);
      known = views_.join(known, t.known);
      for (int s = 0; s < kScopes; s++) {
        passed[s] = views_.join(passed[s], views_.join(t.seen[s], t.passed[s]));
        if (to >> warp & 1) t.seen[s] = nullptr;
        if (!fenced_ || !t.fence[s].at) continue;
        fenced[s] = views_.join(fenced[s], t.fence[s].known);
        raise(floor[s], t.fence[s].floor);
        row[s].lane[lane] = t.fence[s].at;
      }
    }
    for (int s = 0; s < kScopes; s++) {
      bool any = std::any_of(row[s].lane, row[s].lane + kLanes, [](Moment m) { return m != 0; });
      if (any) fenced[s] = views_.join(fenced[s], views_.block(block_, floor[s], {row[s]}));
    }
  }
  for (u32 w = to; w; w &= w - 1) {
    const int warp = __builtin_ctz(w);
    for (u32 rest = lanes; rest; rest &= rest - 1) {
      Thread& t = thread(warp, __builtin_ctz(rest));
      t.known = known;
      std::copy(passed, passed + kScopes, t.passed);
      for (Fence& fence : t.fence) fence.released = nullptr;
    }
    for (int s = 0; s < kScopes; s++) published_[s][static_cast<size_t>(warp)] = fenced[s];
  }
  if (to == all_warps(warps_)) fenced_ = false;
}

// What a strong write of this thread hands on.
const View* Order::released(int warp, int lane, int scope) {
  Fence& fence = thread(warp, lane).fence[scope];
  if (fence.released) return fence.released;
  const View* all = views_.join(published_[scope][static_cast<size_t>(warp)], fence.known);
  if (fence.at) {
    std::vector<Row> rows;
    if (!between_.empty()) {  // lest a fence costs a copy, the barriers of some threads as they stand now
      for (int w = 0; w < warps_; w++) {
        Moment moment = std::min(between_[static_cast<size_t>(warp * warps_ + w)], fence.at);
        if (w == warp || moment <= fence.floor) continue;
        rows.push_back({w, {}});
        std::fill_n(rows.back().lane, kLanes, moment);
      }
    }
    Row own{warp, {}};
    for (int l = 0; l < kLanes; l++) {
      own.lane[l] = fence.warp_floor;
      if (!lanes_.empty())
        raise(own.lane[l], std::min(lanes_[static_cast<size_t>((warp * kLanes + lane) * kLanes + l)], fence.at));
    }
    own.lane[lane] = fence.at;
    rows.push_back(own);
    std::sort(rows.begin(), rows.end(), [](const Row& x, const Row& y) { return x.warp < y.warp; });
    all = views_.join(all, views_.block(block_, fence.floor, std::move(rows)));
  }
  return fence.released = all;
}

void Order::acquire(Flags& flags, u64 key, int warp, int lane) {
  if (flags.empty()) return;
  auto found = flags.find(key);
  if (found == flags.end()) return;
  const Flag& flag = found->second;
  if (threads_.empty()) {
    threads_.assign(static_cast<size_t>(warps_) * kLanes, Thread{});
    for (auto& views : published_) views.assign(static_cast<size_t>(warps_), nullptr);
  }
  Thread& t = thread(warp, lane);
  t.seen[kOfDevice] = views_.join(t.seen[kOfDevice], flag.view[kOfDevice]);
  if (flag.block == block_) t.seen[kOfBlock] = views_.join(t.seen[kOfBlock], flag.view[kOfBlock]);
}

void Order::release(Flags& flags, u64 key, int warp, int lane, bool goes_on) {
  if (threads_.empty() && (flags.empty() || goes_on)) return;
  const View* view[kScopes] = {};
  if (!threads_.empty()) {
    for (int s = 0; s < kScopes; s++) view[s] = released(warp, lane, s);
  }
  auto found = flags.find(key);
  if (found == flags.end()) {
    if (view[kOfBlock]) flags.insert({key, {block_, {view[kOfBlock], view[kOfDevice]}}});
    return;
  }
  Flag& flag = found->second;
  if (!goes_on) {
    flag = {block_, {view[kOfBlock], view[kOfDevice]}};
    return;
  }
  flag.view[kOfDevice] = views_.join(flag.view[kOfDevice], view[kOfDevice]);
  flag.view[kOfBlock] = flag.block == block_ ? views_.join(flag.view[kOfBlock], view[kOfBlock]) : view[kOfBlock];
  flag.block = block_;
}
