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

// A first one: has the function of this name in Plugin exactly the type that overrides getFormatCombinationLimit?
template <class Plugin>
using FormatLimit = std::is_same<decltype(&Plugin::getFormatCombinationLimit), int32_t (Plugin::*)() noexcept>;

// YOUR TURN 1: right for a class that declares the method itself, and one function of that name only. Let it see those
// that have it from a class of their author's, and those with a second function of the name.
template <class Plugin>
constexpr bool ownFormatLimit()
{
    return Answer<FormatLimit, Plugin>::value;
}

// YOUR TURN 2: does TensorRT get the plugin's own getTimingCacheID?
template <class Plugin>
constexpr bool ownTimingCacheId()
{
    return false;
}

// YOUR TURN 3: does it get the plugin's own getWorkspaceSize?
template <class Plugin>
constexpr bool ownWorkspaceSize()
{
    return false;
}

// YOUR TURN 4: getNbTactics, getValidTactics and setTactic belong together. Does TensorRT get the plugin's own of all of
// them, or of none? A class that is no runtime capability has no say in setTactic, one that is no build capability has
// none in the other two.
template <class Plugin>
constexpr bool tacticsAgree()
{
    return false;
}

// YOUR TURN 5: does it get the plugin's own getAliasedInput? Mind which interface has that method.
template <class Plugin>
constexpr bool ownAlias()
{
    return false;
}
