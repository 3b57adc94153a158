// The provider thread: what the model sees.
//
// A JSON array of {"id","role","kind","content"} in that key order, without blanks, ASCII: ^sys,
// then turns from the oldest to the newest, then ^ah. Only blocks speak. A missing role is system
// under ^sys and user elsewhere, a missing kind is left out, missing content is ""; nothing of that
// is written into the tree.
//
// REQUIRES, of everything here: the view's lists are summarized.
//
// Thread safety: a ThreadWriter belongs to one thread; the tree and the cache are shared.
#pragma once

#include <pactdb/render.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/tree_view.h"
#include "render/byte_writer.h"

namespace pactdb {

// Writes the whole thread. Content is copied, never formatted again.
void RenderThread(const TreeView& view, ByteSink& sink, RenderCache* cache = nullptr);

// Appends the thread's bytes.
void RenderThread(const TreeView& view, std::string& out, RenderCache* cache = nullptr);

// Writes a thread part by part, for those who want to know where a part ends. A thread is
// Region(^sys), Turns from 0, Region(^ah), End.
class ThreadWriter {
 public:
  // `position`: how many bytes of the thread are written already, up to the end of a part.
  ThreadWriter(const Lexicon& lexicon, ByteSink& sink, std::uint64_t position = 0);

  // All blocks of ^sys or ^ah. Null: nothing.
  void Region(const Container* region);
  // All blocks of one turn.
  void Turn(const Node& turn);
  // One block, of ^sys or of elsewhere.
  void One(const Node& block, bool is_in_sys);
  // All turns of ^seq, from the cache where it has them.
  void Turns(const Container* seq, RenderCache::Impl* cache);
  void End();

  // Bytes of the thread so far.
  std::uint64_t position() const { return out_.position(); }
  bool stopped() const { return out_.stopped(); }
  // Hands everything to the sink.
  void Flush() { out_.Flush(); }

 private:
  // What stands between the id and the content; the same for nearly all blocks of a role and kind.
  struct Middle {
    WordNumber role = kNoWord;
    WordNumber kind = kNoWord;
    std::string text;
  };
  struct Place {
    const Chunk* chunk;
    std::uint32_t next;
  };

  // A run of turns, by way of the cache.
  void Leaf(const Chunk& leaf, RenderCache::Impl& cache);
  // All blocks below the list.
  void List(const Chunk* list);
  // All blocks of all turns, without the cache.
  void AllTurns(const Container& seq);
  // Finds the blocks below the list, in order.
  void Walk(const Chunk& list);
  // A block goes three steps: it is found, its body is asked for, it is written.
  void Found(const Node& block);
  void AskForBody(const Node& block);
  void WriteFound();
  void Block(const Node& block);
  const std::string& MiddleOf(const Node& block);
  void UseDefaultRole(std::string_view json);

  static constexpr std::size_t kDistance = 24;  // blocks between two steps
  static constexpr std::size_t kRing = 64;
  static_assert(kRing >= 2 * kDistance);

  const Lexicon& lexicon_;
  ByteWriter out_;
  std::string_view default_role_;
  std::array<Middle, 64> middles_;
  std::vector<Place> path_;              // of the list being walked
  std::array<const Node*, kRing> ring_;  // blocks found and not yet written
  std::size_t found_ = 0;
  std::size_t written_ = 0;
  // Renders what goes into the cache.
  std::string piece_;
  StringSink piece_sink_{piece_};
  std::unique_ptr<ThreadWriter> piece_writer_;
};

}  // namespace pactdb
