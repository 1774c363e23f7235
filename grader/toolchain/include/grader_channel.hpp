// A host C++ program's private channel to the grader: frames of two little-endian 64-bit lengths, a JSON object as
// text, raw bytes. The program's last argument, --channel=N, names the descriptor.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/socket.h>

namespace grader {

class Channel {
 public:
  // The program is started by the grader; started by hand it has no channel, and every call below returns false.
  Channel(int argc, char** argv) {
    const char* last = argc > 1 ? argv[argc - 1] : "";
    if (std::strncmp(last, "--channel=", 10) == 0) descriptor_ = std::atoi(last + 10);
  }

  // Receive one frame: the header's JSON text and the payload. False at the end.
  bool receive(std::string& header, std::vector<unsigned char>& payload) {
    uint64_t lengths[2];
    if (!read(lengths, sizeof lengths)) return false;
    if (lengths[0] > kMaxHeader || lengths[1] > kMaxPayload) return false;
    header.resize(lengths[0]);
    payload.resize(lengths[1]);
    return read(header.data(), header.size()) && read(payload.data(), payload.size());
  }

  // Send one frame. `header` is the text of a JSON object.
  bool send(const std::string& header, const void* payload = nullptr, uint64_t bytes = 0) {
    const uint64_t lengths[2] = {header.size(), bytes};
    return write(lengths, sizeof lengths) && write(header.data(), header.size()) && write(payload, bytes);
  }

 private:
  static constexpr uint64_t kMaxHeader = 4ull << 20;
  static constexpr uint64_t kMaxPayload = 4ull << 30;

  bool read(void* data, uint64_t bytes) {
    for (char* at = static_cast<char*>(data); bytes != 0;) {
      const ssize_t count = ::recv(descriptor_, at, bytes, 0);
      if (count <= 0) return false;
      at += count;
      bytes -= static_cast<uint64_t>(count);
    }
    return true;
  }

  bool write(const void* data, uint64_t bytes) {
    for (const char* at = static_cast<const char*>(data); bytes != 0;) {
      const ssize_t count = ::send(descriptor_, at, bytes, MSG_NOSIGNAL);
      if (count <= 0) return false;
      at += count;
      bytes -= static_cast<uint64_t>(count);
    }
    return true;
  }

  int descriptor_ = -1;
};

}  // namespace grader
