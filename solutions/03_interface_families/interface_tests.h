// Tests that the compiler runs: does TensorRT get the answers that a plugin class has of its own, or the base class's?
//
// For use below a class: static_assert(ownFormatLimit<MyBuild>(), "TensorRT never calls MyBuild's method");
// Each test answers for any class at all, with true or false. None may be a compile error.
#pragma once

#include <type_traits>

#include <NvInferRuntime.h>

// Question<Plugin>::value where Question<Plugin> compiles, and false where it does not.
template <template <class> class Question, class Plugin, class = void>
struct Answer : std::false_type
{
};

template <template <class> class Question, class Plugin>
struct Answer<Question, Plugin, std::void_t<Question<Plugin>>> : Question<Plugin>
{
};

// Whether Owner is a class of the author's that derives from the interface: only there does a function override.
template <class Interface, class Owner>
using Below = std::bool_constant<std::is_base_of_v<Interface, Owner> && !std::is_same_v<Interface, Owner>>;

using Build = nvinfer1::IPluginV3OneBuild;
using Aliasing = nvinfer1::IPluginV3OneBuildV2;
using Runtime = nvinfer1::IPluginV3OneRuntime;
using Desc = nvinfer1::DynamicPluginTensorDesc;

// Each takes functions of one type, whichever class they are of: called with &Plugin::name, it picks that one out of all
// that have the name, and the compiler deduces its owner. None is ever defined; decltype asks.
template <class Owner>
Below<Build, Owner> number(int32_t (Owner::*)() noexcept);

template <class Owner>
Below<Build, Owner> cacheId(char const* (Owner::*)() noexcept);

template <class Owner>
Below<Build, Owner> workspace(size_t (Owner::*)(Desc const*, int32_t, Desc const*, int32_t) const noexcept);

template <class Owner>
Below<Build, Owner> tactics(int32_t (Owner::*)(int32_t*, int32_t) noexcept);

template <class Owner>
Below<Runtime, Owner> tactic(int32_t (Owner::*)(int32_t) noexcept);

template <class Owner>
Below<Aliasing, Owner> aliased(int32_t (Owner::*)(int32_t) noexcept);

template <class Plugin>
using FormatLimit = decltype(number(&Plugin::getFormatCombinationLimit));

template <class Plugin>
using TimingCacheId = decltype(cacheId(&Plugin::getTimingCacheID));

template <class Plugin>
using WorkspaceSize = decltype(workspace(&Plugin::getWorkspaceSize));

template <class Plugin>
using NbTactics = decltype(number(&Plugin::getNbTactics));

template <class Plugin>
using ValidTactics = decltype(tactics(&Plugin::getValidTactics));

template <class Plugin>
using SetTactic = decltype(tactic(&Plugin::setTactic));

template <class Plugin>
using AliasedInput = decltype(aliased(&Plugin::getAliasedInput));

template <class Plugin>
constexpr bool ownFormatLimit()
{
    return Answer<FormatLimit, Plugin>::value;
}

template <class Plugin>
constexpr bool ownTimingCacheId()
{
    return Answer<TimingCacheId, Plugin>::value;
}

template <class Plugin>
constexpr bool ownWorkspaceSize()
{
    return Answer<WorkspaceSize, Plugin>::value;
}

template <class Plugin>
constexpr bool tacticsAgree()
{
    constexpr bool builds = std::is_base_of_v<Build, Plugin>;
    constexpr bool runs = std::is_base_of_v<Runtime, Plugin>;
    constexpr bool offered = Answer<NbTactics, Plugin>::value;
    if (builds && offered != Answer<ValidTactics, Plugin>::value)
    {
        return false;
    }
    return !(builds && runs) || offered == Answer<SetTactic, Plugin>::value;
}

template <class Plugin>
constexpr bool ownAlias()
{
    return Answer<AliasedInput, Plugin>::value;
}
