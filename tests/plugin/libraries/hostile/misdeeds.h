// What a hostile or broken library may do to the process that it is in, by name.
#pragma once

#include <string>

// Does it; returns where the misdeed lets it. An unknown name does nothing.
void misdeed(const std::string& what);

// The path of this very library: its file name says where it misbehaves, and how.
std::string ownPath();
