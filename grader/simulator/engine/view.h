// What is known of other blocks: of each thread, up to which moment its accesses are ordered.
//
// A view never changes; joining two shares what is the same in both (a binary trie by block number, after Okasaki
// and Gill, "Fast mergeable integer maps"). So a chain of a thousand blocks that hand on what they know costs a
// few nodes a block. Views live as long as the launch.
#pragma once
#include <cstddef>
#include <deque>
#include <vector>

#include "abi.h"

// Accesses are numbered in the order in which the launch meets them: a moment is the number of the next one.
using Moment = u32;

struct Row {
  s32 warp;
  Moment lane[kLanes];
};

struct View {
  u32 key;  // a block, or what the blocks below have in common: their bits above `bit`
  u32 bit;  // by which the blocks below part; 0: this is one block
  const View *left, *right;
  Moment floor;           // of all threads of the block
  u32 number;             // of this view, in the order in which they were made
  std::vector<Row> rows;  // of some warps more, by number
};

class Views {
 public:
  const View* block(u32 block, Moment floor, std::vector<Row> rows);
  const View* join(const View*, const View*);  // null: nothing is known
  size_t bytes() const { return bytes_; }

 private:
  const View* fork(const View*, const View*);
  const View* join_block(const View*, const View*);
  const View* merge(const View*, const View*);
  const View* keep(View);

  // What was joined of late: at a barrier of many blocks the same two views meet at each of their threads (40 barriers
  // of 132 blocks take a tenth of the time). Found by number, not by address, so that every run makes the same views.
  struct Joined {
    const View *a, *b, *both;
  };
  std::deque<View> all_;
  std::vector<Joined> joined_;
  size_t bytes_ = 0;
};

// Whether the access at `moment` by a lane is known.
bool knows(const View*, u32 block, s32 warp, int lane, Moment moment);
