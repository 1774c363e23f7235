// Calls enqueue once and records the launches it makes.
// Request: "X Y N STREAM CODE": the addresses to pass (0 is null), the size, the stream, what the launch answers.
#include "scale_enqueue.h"

#include "report.h"

namespace
{
struct Launches
{
    long long count = 0, x = 0, y = 0, n = 0, stream = 0;
    std::int32_t answer = 0;
};
Launches gLaunches;
} // namespace

std::int32_t launchScale(float const* x, float* y, std::int64_t n, Stream stream) noexcept
{
    ++gLaunches.count;
    gLaunches.x = reinterpret_cast<long long>(x);
    gLaunches.y = reinterpret_cast<long long>(y);
    gLaunches.n = n;
    gLaunches.stream = reinterpret_cast<long long>(stream);
    return n > 0 ? gLaunches.answer : 9;
}

int main(int argc, char** argv)
{
    grader::Channel channel(argc, argv);
    std::istringstream request(harness::receive(channel));
    long long x = 0, y = 0, n = 0, stream = 0;
    request >> x >> y >> n >> stream >> gLaunches.answer;
    std::int32_t const status = enqueue(
        reinterpret_cast<float const*>(x), reinterpret_cast<float*>(y), n, reinterpret_cast<Stream>(stream));
    harness::Report report;
    report.add("status", static_cast<long long>(status));
    report.add("launches", gLaunches.count);
    report.add("x", gLaunches.x);
    report.add("y", gLaunches.y);
    report.add("n", gLaunches.n);
    report.add("stream", gLaunches.stream);
    report.send(channel);
    return 0;
}
