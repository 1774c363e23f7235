// from compute_75: what lanes and blocks do together.
extern "C" __global__ void shuffles(int* p, unsigned mask) {
  int x = p[threadIdx.x];
  long long l = x;
  double d = x;
  float f = x;
  p[0] = __shfl_sync(mask, x, 3), p[1] = __shfl_up_sync(mask, x, 1), p[2] = __shfl_down_sync(mask, x, 1, 8);
  p[3] = __shfl_xor_sync(mask, x, 1, 16), p[4] = __shfl_sync(mask, l, 5), p[5] = __shfl_xor_sync(mask, d, 2);
  p[6] = __shfl_down_sync(mask, f, 4), p[7] = __shfl_up_sync(mask, (unsigned long long)l, 2);
  p[8] = __any_sync(mask, x), p[9] = __all_sync(mask, x), p[10] = __ballot_sync(mask, x), p[11] = __uni_sync(mask, x);
  p[12] = __activemask(), p[13] = __match_any_sync(mask, x), p[14] = __match_any_sync(mask, l);
  int all;
  p[15] = __match_all_sync(mask, x, &all) + all, p[16] = __match_all_sync(mask, d, &all) + all;
  __syncwarp(), __syncwarp(mask);
  p[17] = __syncthreads_count(x), p[18] = __syncthreads_and(x), p[19] = __syncthreads_or(x);
  __threadfence(), __threadfence_block(), __threadfence_system();
  unsigned lane, below;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  p[20] = lane + below + warpSize;
}
