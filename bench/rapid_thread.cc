#include "rapid_thread.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace pactdb::bench {
namespace {

using Ascii = rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::ASCII<>>;

void WriteString(Ascii& writer, std::string_view text) {
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

}  // namespace

struct RapidThread::Buffer {
  rapidjson::StringBuffer bytes;
};

RapidThread::RapidThread(const Workload& workload) : buffer_(std::make_unique<Buffer>()) {
  for (std::int64_t cycle = 1; cycle <= workload.turns(); ++cycle) {
    turns_.push_back(workload.MakeTurn(cycle));
    for (int block = 1; block <= kBlocksPerTurn; ++block) ids_.push_back(BlockId(cycle, block));
  }
}

RapidThread::~RapidThread() = default;

std::string_view RapidThread::Write() {
  buffer_->bytes.Clear();
  Ascii writer(buffer_->bytes);
  writer.StartArray();
  std::size_t next = 0;
  for (const Turn& turn : turns_) {
    for (const Block& block : turn) {
      writer.StartObject();
      writer.Key("id", 2);
      WriteString(writer, ids_[next++]);
      writer.Key("role", 4);
      WriteString(writer, block.role);
      writer.Key("kind", 4);
      WriteString(writer, block.kind);
      writer.Key("content", 7);
      WriteString(writer, block.text);
      writer.EndObject();
    }
  }
  writer.EndArray();
  return {buffer_->bytes.GetString(), buffer_->bytes.GetSize()};
}

}  // namespace pactdb::bench
