// What the lanes of a warp do together. `mask`: all lanes that the masks name and that have not exited (waits.h).
#pragma once
#include "state.h"

enum ShuffleMode : s32 { kShuffleIndex = 0, kShuffleUp, kShuffleDown, kShuffleButterfly };
enum VoteMode : s32 { kVoteAll = 0, kVoteAny, kVoteUniform, kVoteBallot };
enum MatchMode : s32 { kMatchAny = 0, kMatchAll };
enum ReduceMode : s32 { kReduceAdd = 0, kReduceMin, kReduceMax, kReduceAnd, kReduceOr, kReduceXor };

void shuffle(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
void vote(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
void match(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
void reduce(Launch&, Warp&, char* frame, u32 mask, const Instruction&);
