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

bool lower(char letter) { return letter >= 'a' && letter <= 'z'; }

// "cudaErrorECCUncorrectable" -> "ecc uncorrectable"
std::string words_of(const std::string& name) {
  std::string words;
  for (size_t i = sizeof "cudaError" - 1; i < name.size(); ++i) {
    const bool begins_a_word = !lower(name[i]) && (lower(name[i - 1]) || lower(name[i + 1]));
    if (begins_a_word && !words.empty()) words += ' ';
    words += static_cast<char>(tolower(name[i]));
  }
  return words;
}

std::string words_or(const char* words, const char* name) { return words ? words : words_of(name); }

const Error& error(cudaError_t status) {
  static const auto& all = *new std::map<int, Error>{
#define ERROR(number, name, words) {number, {#name, words_or(words, #name)}},
#include "errors.inc"
#undef ERROR
  };
  static const auto& unknown = *new Error{"unrecognized error code", "unrecognized error code"};
  const auto found = all.find(status);
  return found == all.end() ? unknown : found->second;
}

// Leaves the question and its answer in the log; the answer is no error of this call.
cudaError_t told(Function function, bool forget) {
  const Turn turn;
  Thread& own = thread();
  own.function = function;
  const cudaError_t kept = own.last;
  if (forget) own.last = cudaSuccess;  // even one that every other call goes on returning
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
