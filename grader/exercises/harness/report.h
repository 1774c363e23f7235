// What the harness of a host C++ exercise says to the grader: names and values, as one flat JSON object.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "grader_channel.hpp"

namespace harness {

// The request's text; empty if there was none.
inline std::string receive(grader::Channel& channel) {
    std::string header;
    std::vector<unsigned char> text;
    return channel.receive(header, text) ? std::string(text.begin(), text.end()) : std::string();
}

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

    void send(grader::Channel& channel) const { channel.send("{" + fields_.str() + "}"); }

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
