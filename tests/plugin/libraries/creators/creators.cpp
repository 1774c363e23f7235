// A plugin library with one or two creators, and with the defect that the macros ask for. The creators make no plugin:
// what is told apart here happens before anybody asks them for one.
#include <NvInferRuntime.h>

using namespace nvinfer1;

#ifndef VERSION
#define VERSION "1"
#endif
#ifndef SPACE
#define SPACE ""
#endif

namespace
{
class Creator final : public IPluginCreatorV3One
{
public:
    explicit Creator(AsciiChar const* name = NAME) noexcept
        : mName(name)
    {
    }

    AsciiChar const* getPluginName() const noexcept override { return mName; }
    AsciiChar const* getPluginVersion() const noexcept override { return VERSION; }
    AsciiChar const* getPluginNamespace() const noexcept override { return SPACE; }

    PluginFieldCollection const* getFieldNames() noexcept override
    {
        static PluginFieldCollection const none{0, nullptr};
        return &none;
    }

    IPluginV3* createPlugin(AsciiChar const*, PluginFieldCollection const*, TensorRTPhase) noexcept override
    {
        return nullptr;
    }

private:
    AsciiChar const* mName;
};
} // namespace

#ifdef REGISTERS_ITSELF
REGISTER_TENSORRT_PLUGIN(Creator);
#endif

#ifdef CALLS // a launcher that another file should have defined
void CALLS(float const* x, float* y, int64_t n, cudaStream_t stream);
extern "C" void launcher(float const* x, float* y) { CALLS(x, y, 0, nullptr); }
#endif

#ifdef ASKS_REGISTRY // as a plugin does that shares a resource; it registers nothing
extern "C" int32_t sharedResource(char const* key)
{
    return getPluginRegistry()->releasePluginResource(key);
}
#endif

// C links a function by its plain name, C++ by a name that also says its parameters.
#if defined(IN_NAMESPACE)
#define ENTRY
namespace acme
{
#elif defined(MANGLED)
#define ENTRY
#else
#define ENTRY extern "C"
#endif

#ifndef NO_ENTRIES
#ifdef ENTRY_OF_8_6
ENTRY IPluginCreatorInterface* const* getPluginCreators(int32_t& nbCreators)
#else
ENTRY IPluginCreatorInterface* const* getCreators(int32_t& nbCreators)
#endif
{
    static Creator first(NAME);
#ifdef SECOND
    static Creator second(SECOND);
    static IPluginCreatorInterface* const all[] = {&first, &second};
#else
    static IPluginCreatorInterface* const all[] = {&first};
#endif
    nbCreators = static_cast<int32_t>(sizeof(all) / sizeof(all[0]));
    return all;
}

#ifndef NO_LOGGER_FINDER
ENTRY void setLoggerFinder(ILoggerFinder*) {}
#endif
#endif

#ifdef IN_NAMESPACE
} // namespace acme
#endif
