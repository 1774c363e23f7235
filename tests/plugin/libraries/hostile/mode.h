// Where and how this library misbehaves, by the name of its file.
#pragma once

#include <cstddef>
#include <string>

#include "misdeeds.h"

struct Mode {
  std::string where, what;
  Mode() {
    std::string name = ownPath();
    name = name.substr(name.rfind('/') + 1);
    const size_t dot = name.find('.');
    if (dot == std::string::npos) return;
    where = name.substr(0, dot);
    what = name.substr(dot + 1, name.rfind(".so") - dot - 1);
  }
};

inline const Mode& mode() {
  static const Mode* mode = new Mode;
  return *mode;
}

// Called first thing in every place.
inline void at(const char* where) {
  if (mode().where == where) misdeed(mode().what);
}
inline bool lies(const char* where, const char* what) { return mode().where == where && mode().what == what; }

template <typename T>
T* wild() {
  return reinterpret_cast<T*>(0x123456789000);
}

inline const char* const gWild = wild<const char>();
