#include "blob.h"

#include <cstring>

namespace blob
{
namespace
{
struct Header
{
    std::uint32_t magic;
    std::uint32_t version;
    std::uint64_t bytes;
    std::uint64_t checksum;
    std::uint64_t count;
};
static_assert(sizeof(Header) == 32, "no padding in a header that is written as it lies in memory");

constexpr std::uint32_t kMagic = 0x53424843; // "CHBS"
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kCovered = offsetof(Header, count); // what follows the checksum

std::uint64_t checksumOf(unsigned char const* bytes, std::size_t length) noexcept // FNV-1a
{
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (std::size_t i = 0; i < length; ++i)
    {
        hash = (hash ^ bytes[i]) * 0x100000001B3ULL;
    }
    return hash;
}
} // namespace

std::size_t sizeOf(std::vector<float> const& bias) noexcept
{
    return sizeof(Header) + bias.size() * sizeof(float);
}

void write(std::vector<float> const& bias, void* buffer) noexcept
{
    auto* bytes = static_cast<unsigned char*>(buffer);
    Header header{kMagic, kVersion, sizeOf(bias), 0, bias.size()};
    std::memcpy(bytes, &header, sizeof header);
    std::memcpy(bytes + sizeof header, bias.data(), bias.size() * sizeof(float));
    header.checksum = checksumOf(bytes + kCovered, sizeOf(bias) - kCovered);
    std::memcpy(bytes, &header, sizeof header);
}

std::optional<std::vector<float>> read(void const* data, std::size_t length)
{
    Header header;
    if (data == nullptr || length < sizeof header)
    {
        return std::nullopt;
    }
    auto const* bytes = static_cast<unsigned char const*>(data);
    std::memcpy(&header, bytes, sizeof header);
    std::size_t const room = length - sizeof header;
    if (header.magic != kMagic || header.version != kVersion || header.bytes != length || header.count == 0
        || header.count != room / sizeof(float) || room % sizeof(float) != 0
        || header.checksum != checksumOf(bytes + kCovered, length - kCovered))
    {
        return std::nullopt;
    }
    std::vector<float> bias(header.count);
    std::memcpy(bias.data(), bytes + sizeof header, room);
    return bias;
}
} // namespace blob
