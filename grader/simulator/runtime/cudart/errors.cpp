// The thread's last error, and what errors are called.
#include <cctype>
#include <map>
#include <string>

#include "call.h"

namespace grader {
namespace {

struct Error {
  std::string name, words;
};

// "cudaErrorInvalidSurface" -> "invalid surface"
std::string words_of(const std::string& name) {
  std::string words;
  for (const char letter : name.substr(sizeof "cudaError" - 1)) {
    const auto code = static_cast<unsigned char>(letter);
    if (isupper(code) && !words.empty() && islower(static_cast<unsigned char>(words.back()))) words += ' ';
    words += letter;
  }
  for (size_t i = 0; i + 1 < words.size(); ++i)  // acronyms stay
    if (islower(static_cast<unsigned char>(words[i + 1]))) words[i] = static_cast<char>(tolower(words[i]));
  return words;
}

const Error& error(cudaError_t status) {
  static const auto& all = *new std::map<int, Error>{
#define ERROR(number, name, words) {number, {#name, words ? std::string(words ? words : "") : words_of(#name)}},
#include "errors.inc"
#undef ERROR
  };
  static const auto& unknown = *new Error{"unrecognized error code", "unrecognized error code"};
  const auto found = all.find(status);
  return found == all.end() ? unknown : found->second;
}

cudaError_t last(bool forget) {
  Thread& own = thread();
  const cudaError_t kept = own.last;
  if (forget && !sticky(kept)) own.last = cudaSuccess;
  return kept;
}

// Leaves the question and its answer in the log; the answer is no error of this call.
cudaError_t told(Function function, bool forget) {
  const Turn turn;
  Thread& own = thread();
  own.function = function;
  const cudaError_t kept = last(forget);
  if (connection() == cudaSuccess) ask(Call::NOTE, {ANSWERED, static_cast<uint64_t>(kept)});
  own.function = Function::none;
  return kept;
}

}  // namespace
}  // namespace grader

using namespace grader;

EXPORTED cudaError_t cudaGetLastError() { return told(Function::cudaGetLastError, true); }
EXPORTED cudaError_t cudaPeekAtLastError() { return told(Function::cudaPeekAtLastError, false); }
EXPORTED const char* cudaGetErrorName(cudaError_t status) { return error(status).name.c_str(); }
EXPORTED const char* cudaGetErrorString(cudaError_t status) { return error(status).words.c_str(); }
