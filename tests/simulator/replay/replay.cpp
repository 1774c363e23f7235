// Runs the launches of a recording (record.py) and compares all that they leave with what was recorded, bit by bit:
// the request, counters, fault, output, and every buffer of device memory.
#include <sys/mman.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "abi.h"

extern "C" int simulator_launch(LaunchRequest*);
extern "C" int simulator_instruction_bytes();
extern "C" int simulator_request_bytes();

namespace {

constexpr u64 kMagic = 0x3159414C504552;
constexpr u64 kMargin = 1 << 16;  // of mapped bytes around the buffers
using Bytes = std::vector<u8>;

[[noreturn]] void stop(const char* why) {
  fprintf(stderr, "replay: %s\n", why);
  exit(2);
}

class Reader {
 public:
  explicit Reader(const char* path) : file_(fopen(path, "rb")) {
    if (!file_) stop("the recording cannot be opened");
  }
  ~Reader() { fclose(file_); }
  void read(void* into, size_t bytes) {
    if (bytes && fread(into, 1, bytes, file_) != bytes) stop("the recording ends in the middle");
  }
  template <class T>
  T number() {
    T value;
    read(&value, sizeof value);
    return value;
  }

 private:
  FILE* file_;
};

// Device memory of one launch, as one field of the request leads to it.
struct Region {
  u64 low = ~0ull, high = 0;
  u8* host = nullptr;
  u8* at(u64 address) { return host + (address - low); }
};

struct Pointed {
  u32 offset, before, after;
  Bytes data;
};

struct Content {
  u64 address;
  u32 offset, before, after;
};

bool same(const std::string& name, const char* what, u64 where, const u8* ours, const Bytes& recorded) {
  for (size_t k = 0; k < recorded.size(); k++) {
    if (ours[k] == recorded[k]) continue;
    printf("%s: %s (%llx) differs at byte %zu: %02x, recorded %02x\n", name.c_str(), what,
           static_cast<unsigned long long>(where), k, ours[k], recorded[k]);
    return false;
  }
  return true;
}

bool run(Reader& in, const std::vector<Bytes>& blobs) {
  const Bytes& title = blobs[in.number<u32>()];
  const std::string name(title.begin(), title.end());
  const Bytes &before = blobs[in.number<u32>()], &after = blobs[in.number<u32>()];
  std::vector<Pointed> pointed(in.number<u32>());
  std::vector<Content> memory(in.number<u32>());
  LaunchRequest request;
  memcpy(&request, before.data(), sizeof request);
  char* fields = reinterpret_cast<char*>(&request);
  for (Pointed& p : pointed) {
    p.offset = in.number<u32>(), p.before = in.number<u32>(), p.after = in.number<u32>();
    p.data = blobs[p.before];
    p.data.push_back(0);  // so that empty data has an address, too
    u8* address = p.data.data();
    memcpy(fields + p.offset, &address, sizeof address);
  }
  std::map<u32, Region> regions;
  for (Content& c : memory) {
    c.address = in.number<u64>(), c.offset = in.number<u32>(), c.before = in.number<u32>(),
    c.after = in.number<u32>();
    Region& region = regions[c.offset];
    region.low = std::min(region.low, c.address - kMargin);
    region.high = std::max(region.high, c.address + blobs[c.before].size() + kMargin);
  }
  for (auto& [offset, region] : regions) {
    void* mapped = mmap(nullptr, region.high - region.low, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) stop("no memory for the buffers");
    region.host = static_cast<u8*>(mapped);
    u64 lead = reinterpret_cast<u64>(region.host) - region.low;
    memcpy(fields + offset, &lead, sizeof lead);
  }
  for (const Content& c : memory) {
    if (!blobs[c.before].empty()) memcpy(regions[c.offset].at(c.address), blobs[c.before].data(), blobs[c.before].size());
  }

  simulator_launch(&request);

  bool equal = true;
  for (const Pointed& p : pointed) {
    equal &= same(name, "what a field points to", p.offset, p.data.data(), blobs[p.after]);
    memset(fields + p.offset, 0, sizeof(void*));
  }
  for (auto& [offset, region] : regions) memset(fields + offset, 0, sizeof(u64));
  equal &= same(name, "the request", 0, reinterpret_cast<u8*>(fields), after);
  for (const Content& c : memory) {
    equal &= same(name, "the buffer", c.address, regions[c.offset].at(c.address), blobs[c.after]);
  }
  for (auto& [offset, region] : regions) munmap(region.host, region.high - region.low);
  return equal;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) stop("usage: replay RECORDING");
  Reader in(arguments[1]);
  if (in.number<u64>() != kMagic) stop("that is no recording");
  if (in.number<u32>() != static_cast<u32>(simulator_request_bytes()) ||
      in.number<u32>() != static_cast<u32>(simulator_instruction_bytes()))
    stop("the recording is of another engine");
  u32 blob_count = in.number<u32>(), launches = in.number<u32>(), different = 0;
  std::vector<Bytes> blobs(blob_count);
  for (Bytes& blob : blobs) {
    blob.resize(in.number<u64>());
    in.read(blob.data(), blob.size());
  }
  auto began = std::chrono::steady_clock::now();
  for (u32 k = 0; k < launches; k++) different += !run(in, blobs);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  printf("%u launches, %u differ (%.1f s)\n", launches, different, seconds.count());
  return different ? 1 : 0;
}
