// Part of the kit: reads a plugin's attributes from the fields that createPlugin() is given.
//
//   float scale = 1.0F;                        // what holds where the field is missing
//   std::vector<float> slope;
//   kit::Fields fields(collection);
//   fields.read("scale", scale);
//   fields.require("slope", slope);
//   if (!fields.done())
//   {
//       kit::logError(fields.problem());       // "slope: its data is null"
//       return nullptr;
//   }
//
// Fields come from anywhere: an ONNX parser, somebody's program, a damaged plan. So nothing is taken on trust: not that
// the collection is there, nor that a field has a name, data, the expected type or the expected length. Fields are
// found by name, in any order. A value that is refused leaves the variable as it was, and the first problem is kept.
#pragma once

#include <NvInferRuntime.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace kit __attribute__((visibility("hidden")))
{
class Fields
{
    using Field = nvinfer1::PluginField;
    using Type = nvinfer1::PluginFieldType;

public:
    explicit Fields(nvinfer1::PluginFieldCollection const* collection) noexcept
    {
        if (collection == nullptr || collection->nbFields < 0)
        {
            refuse("the fields", collection == nullptr ? "there is no collection" : "their number is negative");
        }
        else if (collection->nbFields > 0 && collection->fields == nullptr)
        {
            refuse("the fields", "the collection counts them and has none");
        }
        else
        {
            mFields = collection->fields;
            mCount = collection->nbFields;
        }
    }

    // Each gives whether a value was read. The variable keeps what it holds, its default, where the field is missing.
    // A float may come as INT32: TensorRT's ONNX parser types a field as the node's attribute is typed, so that 1 comes
    // as INT32 where 1.0 comes as FLOAT32. It is taken if a float holds exactly this number.
    bool read(char const* name, float& value) noexcept { return readOne(name, value); }
    bool read(char const* name, int32_t& value) noexcept { return readOne(name, value); }

    // Exactly N numbers: wrong lengths are refused.
    template <typename T, size_t N>
    bool read(char const* name, std::array<T, N>& values) noexcept
    {
        static_assert(N > 0, "a list of no numbers");
        std::array<T, N> found = values;
        Field const* const field = find(name);
        if (field == nullptr || !isReadable(*field))
        {
            return false;
        }
        if (field->length != static_cast<int32_t>(N))
        {
            return wrong(name, "it has %d elements, not %d", field->length, static_cast<int>(N));
        }
        if (!copy(*field, found.data()))
        {
            return false;
        }
        values = found;
        return true;
    }

    // Any number of them, also none. May throw std::bad_alloc: call it inside kit::guarded().
    template <typename T>
    bool read(char const* name, std::vector<T>& values)
    {
        Field const* const field = find(name);
        if (field == nullptr || !isReadable(*field))
        {
            return false;
        }
        std::vector<T> found(static_cast<size_t>(field->length));
        if (!copy(*field, found.data()))
        {
            return false;
        }
        values.swap(found);
        return true;
    }

    // Text, with or without the NUL at its end that the ONNX parser adds and counts. May throw std::bad_alloc.
    bool read(char const* name, std::string& text)
    {
        Field const* const field = find(name);
        if (field == nullptr || !isReadable(*field) || !isOfType(*field, Type::kCHAR))
        {
            return false;
        }
        auto const* const first = static_cast<char const*>(field->data);
        text.assign(first, field->length == 0 ? 0 : strnlen(first, static_cast<size_t>(field->length)));
        return true;
    }

    // As read(); that the field is missing is a problem.
    template <typename T>
    bool require(char const* name, T& value)
    {
        bool const found = read(name, value);
        if (!found && good() && !has(name))
        {
            refuse(name, "it is missing, and there is no default");
        }
        return found;
    }

    bool has(char const* name) const noexcept
    {
        return std::any_of(mFields, mFields + mCount, [name](Field const& each) { return isCalled(each, name); });
    }

    // Whether all that was read so far was in order.
    bool good() const noexcept { return mProblem[0] == '\0'; }

    // Whether all was in order, and there is no field that nobody asked for: a misspelled one would be ignored in
    // silence. Ask for it when everything is read.
    bool done() noexcept
    {
        for (int32_t i = 0; i < mCount && good(); ++i)
        {
            if (mFields[i].name == nullptr)
            {
                refuse("a field", "it has no name");
            }
            else if (!wasAskedFor(mFields[i].name))
            {
                refuse(mFields[i].name, "there is no such attribute");
            }
        }
        return good();
    }

    // The first thing that was wrong, as "name: what"; "" where nothing was. It lives as long as this object.
    char const* problem() const noexcept { return mProblem.data(); }

    // For an attribute whose value has the right type and makes no sense, such as a negative number of channels.
    // Always false, so that it can be returned.
    bool refuse(char const* name, char const* what) noexcept { return wrong(name, "%s", what); }

private:
    template <typename T>
    bool readOne(char const* name, T& value) noexcept
    {
        std::array<T, 1> found{value};
        bool const there = read(name, found);
        value = found[0];
        return there;
    }

    // The field of this name; null where there is none, or two: then nobody knows which is meant.
    Field const* find(char const* name) noexcept
    {
        if (mAsked == mNames.size())
        {
            wrong(name, "a plugin that reads more than %d attributes needs a larger Fields", static_cast<int>(mAsked));
            return nullptr;
        }
        mNames[mAsked++] = name;
        Field const* found = nullptr;
        for (int32_t i = 0; i < mCount; ++i)
        {
            if (!isCalled(mFields[i], name))
            {
                continue;
            }
            if (found != nullptr)
            {
                refuse(name, "it is there twice");
                return nullptr;
            }
            found = &mFields[i];
        }
        return found;
    }

    static bool isCalled(Field const& field, char const* name) noexcept
    {
        return field.name != nullptr && std::strcmp(field.name, name) == 0;
    }

    bool wasAskedFor(char const* name) const noexcept
    {
        return std::any_of(mNames.begin(), mNames.begin() + mAsked,
            [name](char const* each) { return std::strcmp(each, name) == 0; });
    }

    bool isReadable(Field const& field) noexcept
    {
        if (field.length < 0)
        {
            return wrong(field.name, "its length is %d", field.length);
        }
        return field.length == 0 || field.data != nullptr || refuse(field.name, "its data is null");
    }

    bool isOfType(Field const& field, Type type) noexcept
    {
        return field.type == type
            || wrong(field.name, "its type is PluginFieldType %d, not %d", static_cast<int>(field.type),
                static_cast<int>(type));
    }

    bool copy(Field const& field, int32_t* values) noexcept
    {
        return isOfType(field, Type::kINT32) && bytes(field, values);
    }

    bool copy(Field const& field, float* values) noexcept
    {
        if (field.type != Type::kINT32)
        {
            return isOfType(field, Type::kFLOAT32) && bytes(field, values);
        }
        for (size_t i = 0; i < static_cast<size_t>(field.length); ++i)
        {
            int32_t whole = 0; // copied out of the data, which need not be aligned
            std::memcpy(&whole, static_cast<char const*>(field.data) + sizeof(whole) * i, sizeof(whole));
            values[i] = static_cast<float>(whole);
            if (static_cast<double>(values[i]) != static_cast<double>(whole))
            {
                return wrong(field.name, "no float is exactly %d", whole);
            }
        }
        return true;
    }

    template <typename T>
    static bool bytes(Field const& field, T* values) noexcept
    {
        if (field.length > 0)
        {
            std::memcpy(values, field.data, sizeof(T) * static_cast<size_t>(field.length));
        }
        return true;
    }

    // Keeps the first problem. Always false, so that it can be returned.
    template <typename... Facts>
    bool wrong(char const* name, char const* what, Facts... facts) noexcept
    {
        if (good())
        {
            int const used = std::snprintf(mProblem.data(), mProblem.size(), "%.60s: ", name);
            std::snprintf(mProblem.data() + used, mProblem.size() - static_cast<size_t>(used), what, facts...);
        }
        return false;
    }

    Field const* mFields = nullptr;
    int32_t mCount = 0;
    std::array<char const*, 32> mNames{}; // that were asked for
    size_t mAsked = 0;
    std::array<char, 160> mProblem{};
};
} // namespace kit
