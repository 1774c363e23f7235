// Runs a warp until it waits at a barrier of the block, is done, or its turn is over.
#pragma once
#include "state.h"

void run_warp(Launch&, Warp&);
