#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// The serialized state: header (magic, version, bytes of the whole, checksum of the rest), then the count and the
/// values. Little-endian, no padding, so that it means the same in every build of this library.
namespace blob
{
std::size_t sizeOf(std::vector<float> const& bias) noexcept;

/// Writes exactly sizeOf(bias) bytes.
void write(std::vector<float> const& bias, void* buffer) noexcept;

/// The values; nothing where a byte is missing, left over or wrong, or where the version is another.
std::optional<std::vector<float>> read(void const* data, std::size_t length);
} // namespace blob
