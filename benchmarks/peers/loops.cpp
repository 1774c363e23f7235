// The benchmark's kernels as plain loops for the processor. Usage: loops KERNEL ROUNDS; prints the median in seconds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <vector>

#ifdef __aarch64__
using half = __fp16;
#else
using half = _Float16;
#endif

constexpr int kSide = 1024, kCount = kSide * kSide, kRows = 512, kMatrix = 256;

static std::vector<float> x(kCount), y(kCount), other(kCount);
static std::vector<half> h(kCount), result(kCount);
static std::vector<char> keep(kCount);

static void masked_gelu() {
  for (int k = 0; k < kCount; k++) {
    float v = static_cast<float>(h[k]);
    result[k] = static_cast<half>(keep[k] ? 0.5f * v * (1.0f + std::erf(v * 0.70710678f)) : 0.0f);
  }
}

static void transpose() {
  for (int row = 0; row < kSide; row++)
    for (int column = 0; column < kSide; column++) y[column * kSide + row] = x[row * kSide + column];
}

static void softmax() {
  for (int row = 0; row < kRows; row++) {
    const float* from = &x[row * kSide];
    float* to = &y[row * kSide];
    float most = *std::max_element(from, from + kSide), total = 0;
    for (int k = 0; k < kSide; k++) total += to[k] = std::exp(from[k] - most);
    for (int k = 0; k < kSide; k++) to[k] /= total;
  }
}

static void matmul() {
  std::fill(y.begin(), y.begin() + kMatrix * kMatrix, 0.0f);
  for (int i = 0; i < kMatrix; i++)
    for (int k = 0; k < kMatrix; k++)
      for (int j = 0; j < kMatrix; j++) y[i * kMatrix + j] += x[i * kMatrix + k] * other[k * kMatrix + j];
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (int k = 0; k < kCount; k++) {
    x[k] = normal(random), other[k] = normal(random), h[k] = static_cast<half>(x[k]), keep[k] = random() % 10 < 7;
  }
  const char* name = arguments[1];
  void (*work)() = !strcmp(name, "masked_gelu") ? masked_gelu
                   : !strcmp(name, "transpose") ? transpose
                   : !strcmp(name, "softmax")   ? softmax
                   : !strcmp(name, "matmul")    ? matmul
                                                : nullptr;
  if (!work) return 2;
  std::vector<double> seconds;
  for (int round = 0; round < atoi(arguments[2]); round++) {
    clock_t began = clock();
    work();
    seconds.push_back(static_cast<double>(clock() - began) / CLOCKS_PER_SEC);
    asm volatile("" : : "r"(y.data()), "r"(result.data()) : "memory");  // the results are wanted
  }
  std::sort(seconds.begin(), seconds.end());
  printf("%.9f\n", seconds[seconds.size() / 2]);
}
