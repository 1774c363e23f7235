// Random and damaged blobs and fields, made and given to a creator here so that many need one command.
#pragma once

#include "value.h"

namespace host {

// ["blobs" or "fields", creator, seed, count, samples] -> [plugins made, refused]. Round i of a seed is the same whatever
// the count. Samples are blobs (bytes), or lists of fields as "create" takes them. Made plugins are serialized, cloned and
// ended: whoever survives has returned from all of that.
Value fuzz(const Value& arguments);

}  // namespace host
