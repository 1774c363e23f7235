// The C++ side of the grader's private pipe, for the harness of a host C++ exercise.
// A frame is two little-endian 64-bit lengths, a JSON header, raw bytes. The request's raw bytes are plain text.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <unistd.h>

namespace harness {

inline int descriptor(int argc, char** argv) {
    return argc > 1 && std::strncmp(argv[argc - 1], "--channel=", 10) == 0 ? std::atoi(argv[argc - 1] + 10) : -1;
}

inline bool read_all(int fd, char* data, std::uint64_t size) {
    for (std::uint64_t done = 0; done < size;) {
        ssize_t n = ::read(fd, data + done, size - done);
        if (n <= 0) return false;
        done += static_cast<std::uint64_t>(n);
    }
    return true;
}

// The request's text; empty if there was none.
inline std::string receive(int fd) {
    std::uint64_t sizes[2] = {0, 0};
    if (!read_all(fd, reinterpret_cast<char*>(sizes), sizeof sizes)) return "";
    std::string header(sizes[0], ' '), text(sizes[1], ' ');
    if (!read_all(fd, &header[0], sizes[0]) || !read_all(fd, &text[0], sizes[1])) return "";
    return text;
}

// What the harness saw: names and values, sent as one flat JSON object.
class Report {
  public:
    void add(const std::string& name, long long value) { field(name) << value; }
    void add(const std::string& name, const std::string& value) {
        std::ostream& out = field(name);
        out << '"';
        for (unsigned char c : value) {
            if (c == '"' || c == '\\') out << '\\' << c;
            else out << (c < 32 || c > 126 ? '?' : static_cast<char>(c));
        }
        out << '"';
    }
    void send(int fd) const {
        std::string header = "{" + fields_.str() + "}";
        std::uint64_t sizes[2] = {header.size(), 0};
        std::string frame(reinterpret_cast<const char*>(sizes), sizeof sizes);
        frame += header;
        for (std::size_t done = 0; done < frame.size();) {
            ssize_t n = ::write(fd, frame.data() + done, frame.size() - done);
            if (n <= 0) return;
            done += static_cast<std::size_t>(n);
        }
    }

  private:
    std::ostream& field(const std::string& name) {
        fields_ << (empty_ ? "\"" : ",\"") << name << "\":";
        empty_ = false;
        return fields_;
    }
    std::ostringstream fields_;
    bool empty_ = true;
};

}  // namespace harness
