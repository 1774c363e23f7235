// Makes, clones, assigns and destroys WeightsLayers over a device that keeps count.
// Requests: "one V...", "clone V...", "assign V...", "self V...", "move V..." with the weights as decimal numbers.
#include "weights_layer.h"

#include "report.h"
#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <type_traits>
#include <utility>
#include <vector>

static_assert(std::is_same<decltype(std::declval<WeightsLayer const&>().weights()), float const*>::value,
    "weights() must return a float const*");

// Addresses come from a range that nothing may touch: following a device pointer on the host is a crash, as on a GPU.
namespace
{
struct Device
{
    char* next = static_cast<char*>(
        mmap(nullptr, std::size_t{1} << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    std::map<char const*, std::vector<char>> live;
    std::map<char const*, std::size_t> given; // all memory ever given out, with its size
    long long allocations = 0, frees = 0, freedTwice = 0, freedUnknown = 0, badCopies = 0;

    // The block and offset of an address in device memory; null if it lies in none.
    std::vector<char>* find(void const* address, std::size_t& offset)
    {
        auto after = live.upper_bound(static_cast<char const*>(address));
        if (after == live.begin()) return nullptr;
        --after;
        offset = static_cast<std::size_t>(static_cast<char const*>(address) - after->first);
        return offset < after->second.size() ? &after->second : nullptr;
    }

    bool mine(void const* address) const
    {
        auto after = given.upper_bound(static_cast<char const*>(address));
        if (after == given.begin()) return false;
        --after;
        return static_cast<char const*>(address) < after->first + after->second;
    }
};
Device gDevice;
} // namespace

void* deviceAlloc(std::size_t bytes) noexcept
{
    char* const address = gDevice.next;
    gDevice.next += (bytes / 512 + 1) * 512;
    gDevice.live[address] = std::vector<char>(bytes, '\xCD');
    gDevice.given[address] = bytes;
    ++gDevice.allocations;
    return address;
}

void deviceCopy(void* to, void const* from, std::size_t bytes) noexcept
{
    std::size_t toOffset = 0, fromOffset = 0;
    std::vector<char>* const target = gDevice.find(to, toOffset);
    std::vector<char>* const source = gDevice.find(from, fromOffset);
    bool const lost = (!target && gDevice.mine(to)) || (!source && gDevice.mine(from)) || !to || !from;
    if (lost || (target && toOffset + bytes > target->size()) || (source && fromOffset + bytes > source->size()))
    {
        ++gDevice.badCopies;
        return;
    }
    std::memmove(target ? target->data() + toOffset : to, source ? source->data() + fromOffset : from, bytes);
}

void deviceFree(void* memory) noexcept
{
    if (memory == nullptr) return;
    char const* const address = static_cast<char const*>(memory);
    ++gDevice.frees;
    if (gDevice.live.erase(address) == 0) ++(gDevice.given.count(address) ? gDevice.freedTwice : gDevice.freedUnknown);
}

// The count floats at a device address as text; or why there are none.
static std::string contents(float const* weights, std::size_t count)
{
    std::size_t offset = 0;
    std::vector<char>* const block = gDevice.find(weights, offset);
    if (block == nullptr) return gDevice.mine(weights) ? "given back" : "no device memory";
    if (offset != 0 || block->size() < count * sizeof(float)) return "too little memory";
    if (std::all_of(block->begin(), block->end(), [](char c) { return c == '\xCD'; })) return "uninitialised";
    std::ostringstream out;
    for (std::size_t k = 0; k < count; ++k)
    {
        float value;
        std::memcpy(&value, block->data() + k * sizeof value, sizeof value);
        out << (k ? " " : "") << value;
    }
    return out.str();
}

// Overwrite what a layer holds, as a refit would.
static void scribble(WeightsLayer const& layer)
{
    std::size_t offset = 0;
    std::vector<char>* const block = gDevice.find(layer.weights(), offset);
    if (block != nullptr) std::fill(block->begin(), block->end(), 0);
}

// The stories whose middle the learner may forbid. Each reports whether it is allowed, and what is held in the end.
template <typename T>
static void assign(std::unique_ptr<T>& from, std::size_t count, harness::Report& report)
{
    constexpr bool allowed = std::is_copy_assignable<T>::value;
    std::vector<float> const other(count + 3, 0.5f);
    T to(other.data(), static_cast<std::int64_t>(other.size()));
    if constexpr (allowed) to = *from;
    scribble(*from);
    from.reset();
    report.add("allowed", allowed ? 1 : 0);
    report.add("held", contents(to.weights(), count));
}

template <typename T>
static void assignSelf(std::unique_ptr<T>& from, std::size_t count, harness::Report& report)
{
    constexpr bool allowed = std::is_copy_assignable<T>::value;
    T& same = *from;
    if constexpr (allowed) *from = same;
    report.add("allowed", allowed ? 1 : 0);
    report.add("held", contents(from->weights(), count));
}

template <typename T>
static void move(std::unique_ptr<T>& from, std::size_t count, harness::Report& report)
{
    constexpr bool allowed = std::is_move_constructible<T>::value;
    report.add("allowed", allowed ? 1 : 0);
    if constexpr (allowed)
    {
        T second(std::move(*from));
        from.reset();
        report.add("held", contents(second.weights(), count));
    }
    else report.add("held", contents(from->weights(), count));
}

int main(int argc, char** argv)
{
    grader::Channel channel(argc, argv);
    std::istringstream request(harness::receive(channel));
    harness::Report report;
    std::string what;
    request >> what;
    std::vector<float> values;
    for (float value = 0; request >> value;) values.push_back(value);
    std::int64_t const count = static_cast<std::int64_t>(values.size());

    std::unique_ptr<WeightsLayer> first(new WeightsLayer(values.data(), count));
    if (what == "clone")
    {
        std::unique_ptr<WeightsLayer> second(first->clone());
        auto const held = [&] { return second ? contents(second->weights(), values.size()) : "no clone"; };
        report.add("cloned", held());
        scribble(*first);
        report.add("after_change", held());
        first.reset();
        report.add("after_delete", held());
    }
    else if (what == "assign") assign(first, values.size(), report);
    else if (what == "self") assignSelf(first, values.size(), report);
    else if (what == "move") move(first, values.size(), report);
    else
    {
        report.add("made", contents(first->weights(), values.size()));
    }
    first.reset();
    report.add("allocations", gDevice.allocations);
    report.add("frees", gDevice.frees);
    report.add("live", static_cast<long long>(gDevice.live.size()));
    report.add("freed_twice", gDevice.freedTwice);
    report.add("freed_unknown", gDevice.freedUnknown);
    report.add("bad_copies", gDevice.badCopies);
    report.send(channel);
    return 0;
}
