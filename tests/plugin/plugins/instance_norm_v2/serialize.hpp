#pragma once

#include <cstddef>
#include <cstring>

// Values one after the other in a buffer, without padding.
template <typename T>
void writeValue(char*& buffer, T const& value) noexcept
{
    std::memcpy(buffer, &value, sizeof(T));
    buffer += sizeof(T);
}

// False where fewer bytes are left; `value` then stays as it is.
template <typename T>
bool readValue(char const*& buffer, std::size_t& left, T& value) noexcept
{
    if (left < sizeof(T))
    {
        return false;
    }
    std::memcpy(&value, buffer, sizeof(T));
    buffer += sizeof(T);
    left -= sizeof(T);
    return true;
}
