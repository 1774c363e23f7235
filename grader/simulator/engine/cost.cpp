#include "cost.h"

#include <algorithm>

#include "lanes.h"

int count_sectors(const u64* address, u32 mask) {
  u64 sector[kLanes];
  u64 first = address[first_lane(mask)] >> 5;
  EACH_LANE sector[l] = (mask >> l & 1) ? address[l] >> 5 : first;
  int changes = 1;
  bool sorted = true;
  for (int l = 1; l < kLanes; l++) {
    changes += sector[l] != sector[l - 1];
    sorted &= sector[l] >= sector[l - 1];
  }
  if (sorted) return changes;
  std::sort(sector, sector + kLanes);
  return static_cast<int>(std::unique(sector, sector + kLanes) - sector);
}

int count_atomic_sectors(const u64* address, u32 mask) {
  u64 sorted[kLanes];
  int lanes = 0, total = 0;
  for (u32 rest = mask; rest; rest &= rest - 1) sorted[lanes++] = address[first_lane(rest)];
  std::sort(sorted, sorted + lanes);
  for (int l = 0, same = 0, most = 0; l < lanes; l++) {
    same = l && sorted[l] == sorted[l - 1] ? same + 1 : 1;
    most = std::max(most, same);
    if (l + 1 < lanes && sorted[l + 1] >> 5 == sorted[l] >> 5) continue;
    total += most;
    most = 0;
  }
  return total;
}

namespace {

// Whether every lane and its partner, the lane at this distance, have one address, as far as both are active.
bool in_pairs(const u64* address, u32 mask, int distance) {
  bool all = true;
  for (u32 rest = mask; rest; rest &= rest - 1) {
    int l = first_lane(rest), partner = l ^ distance;
    all &= !(mask >> partner & 1) || address[l] == address[partner];
  }
  return all;
}

// In each phase, the bank with the most words decides. The lanes are spread over the phases in order.
int count_passes(const u64* address, u32 mask, int words, int phases) {
  const int per_phase = kLanes / phases;
  int total = 0;
  for (int phase = 0; phase < phases; phase++) {
    u32 part = phases == 1 ? mask : mask & (((1u << per_phase) - 1) << (phase * per_phase));
    if (!part) continue;
    u64 seen[kLanes][kLanes];  // distinct words of each bank
    u8 count[kLanes] = {};
    int most = 1;
    for (u32 rest = part; rest; rest &= rest - 1) {
      u64 word = address[first_lane(rest)] >> 2;
      for (int w = 0; w < words; w++, word++) {
        int bank = static_cast<int>(word & 31), n = count[bank], k = 0;
        while (k < n && seen[bank][k] != word) k++;
        if (k < n) continue;
        seen[bank][n] = word;
        count[bank] = static_cast<u8>(n + 1);
        most = std::max(most, n + 1);
      }
    }
    total += most;
  }
  return total;
}

}  // namespace

// 8-byte accesses go by half warps, 16-byte by quarters.
int count_wavefronts(const u64* address, u32 mask, int bytes) {
  if (bytes <= 4) {  // usually every bank has one word at most
    u64 only[kLanes], last = ~0ull;
    u32 used = 0;
    bool conflict = false;
    for (u32 rest = mask; rest; rest &= rest - 1) {
      u64 word = address[first_lane(rest)] >> 2;
      if (word == last) continue;
      last = word;
      u32 bank = static_cast<u32>(word & 31);
      conflict |= (used >> bank & 1) && only[bank] != word;
      only[bank] = word;
      used |= 1u << bank;
    }
    if (!conflict) return 1;
  }
  const int words = bytes <= 4 ? 1 : bytes / 4;
  return count_passes(address, mask, words, words);
}

int count_load_wavefronts(const u64* address, u32 mask, int bytes) {
  if (bytes > 4 && (in_pairs(address, mask, 1) || in_pairs(address, mask, 2)))
    return count_passes(address, mask, bytes / 4, bytes / 8);
  return count_wavefronts(address, mask, bytes);
}

int count_atomic_wavefronts(const u64* address, u32 mask, int bytes) {
  const int phases = bytes / 4 < 1 ? 1 : bytes / 4, per_phase = kLanes / phases;
  int total = 0;
  for (int phase = 0; phase < phases; phase++) {
    u8 turns[kLanes] = {};  // of each bank
    int most = 0;
    for (int l = phase * per_phase; l < (phase + 1) * per_phase; l++) {
      if (!(mask >> l & 1)) continue;
      u8& own = turns[address[l] >> 2 & 31];
      most = std::max<int>(most, ++own);
    }
    total += most;
  }
  return total;
}

int count_local_sectors(const u64* offset, u32 mask, int bytes) {
  int total = 0;
  for (int first = 0; first < kLanes; first += 8) {
    u64 words[8 * 4];  // of these eight lanes; 16 bytes are the widest access
    int count = 0;
    for (int l = first; l < first + 8; l++) {
      if (!(mask >> l & 1)) continue;
      u64 last = (offset[l] + static_cast<u64>(bytes) - 1) >> 2;
      for (u64 word = offset[l] >> 2; word <= last; word++) words[count++] = word;
    }
    std::sort(words, words + count);
    total += static_cast<int>(std::unique(words, words + count) - words);
  }
  return total;
}

CopyCost count_copy(const u64* from, const u64* to, u32 reading, u32 mask, int bytes) {
  const int written = count_wavefronts(to, mask, bytes);
  if (!reading) return {0, 0, written};
  const int sectors = count_sectors(from, reading);
  return {sectors, sectors, std::max(written, count_wavefronts(from, reading, bytes))};
}

CopyCost count_copy_past_l1(const u64* from, const u64* to, u32 reading, u32 zeros) {
  const int for_zeros = zeros ? count_wavefronts(to, zeros, 16) : 0;
  if (!reading) return {0, 0, for_zeros};
  // Of each lane: the sector read, the sector written, whether it changes halves, and the half that it reads.
  u64 pieces[kLanes], groups[kLanes];
  int count = 0, pairs = 0;
  for (u32 rest = reading; rest; rest &= rest - 1) {
    const u64 source = from[first_lane(rest)] >> 4, target = to[first_lane(rest)] >> 4;
    pieces[count++] = source >> 1 << 20 | target >> 1 << 2 | ((source ^ target) & 1) << 1 | (source & 1);
  }
  std::sort(pieces, pieces + count);
  count = static_cast<int>(std::unique(pieces, pieces + count) - pieces);
  for (int n = 0; n < count; n++) {
    const u64 source = pieces[n] >> 20, target = pieces[n] >> 2 & 0x3ffff;
    const u64 halves = pieces[n] & 3, other = pieces[n] ^ 1;
    pairs += n == 0 || pieces[n] >> 2 != pieces[n - 1] >> 2;
    const bool whole = halves < 2 && ((n && pieces[n - 1] == other) || (n + 1 < count && pieces[n + 1] == other));
    groups[n] = source >> 2 << 24 | target >> 2 << 5 | ((target - source) & 3) << 3 | (whole ? 4 : halves);
  }
  std::sort(groups, groups + count);
  const int moved = static_cast<int>(std::unique(groups, groups + count) - groups);
  return {count_sectors(to, reading), pairs, moved + for_zeros};
}

int count_local_requests(int bytes) { return std::max(bytes / 4, 1); }
