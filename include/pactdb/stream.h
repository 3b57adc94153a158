// Bytes that go by piece by piece: what long documents are written to and read from.
//
// Thread safety: the caller's functions are called on the calling thread, before the call returns.
#pragma once

#include <pactdb/error.h>

#include <cstddef>
#include <functional>
#include <string_view>

namespace pactdb {

// Takes the next piece. False ends the writing with kStoreIo.
using ByteSink = std::function<bool(std::string_view piece)>;

// Fills `buffer` with up to `size` bytes and says how many; 0 is the end. An error ends the reading
// and is passed on.
using ByteSource = std::function<Result<std::size_t>(char* buffer, std::size_t size)>;

}  // namespace pactdb
