#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "deft/core/assembler.h"

namespace deft {

// Events of an OpenAI Responses stream to steps of the assembler. Output items become blocks: each text part of a
// message is a text block, a reasoning item is a thinking block, a function call is a tool_use block whose id is the
// call_id, any other item is passed on as it is. Pieces are shown as they come; the final form of an item
// (output_item.done, or the list in response.completed) is the provider's last word. A call is complete with it.
class OpenAiResponsesStream {
 public:
  explicit OpenAiResponsesStream(Assembler& assembler) : assembler_(assembler) {}

  static bool recognises(const Json& event);
  // `text` is the JSON text of `event`.
  Result<void> handle(const Json& event, std::string_view text);
  // A whole response, as the API answers when nothing was to be streamed.
  Result<void> handle_body(const Json& response);
  // The bytes have ended inside a message: that is an error.
  Result<void> end();

 private:
  struct Item {
    std::string type;
    std::map<std::int64_t, Assembler::Key> parts;  // of a message, by content_index; another item is one block, part 0
    std::pair<bool, std::int64_t> thought{false, 0};  // the part of a reasoning item that got the last piece
    bool done = false;
  };

  void start_message(const Json& response);
  Result<void> handle_item_event(std::string_view type, const Json& event, std::string_view text);
  Result<void> handle_piece(std::string_view type, Item& item, const Json& event, std::string_view text);
  Result<void> finish_response(const Json& response, std::string_view status);

  Result<Item*> add_item(std::int64_t index, const Json& json);
  Result<void> finish_item(std::int64_t index, const Json& json);
  Result<void> finish_parts(Item& item, const Json& json);
  Result<void> amend_item(const Item& item, const Json& json);
  Result<void> amend_part(Assembler::Key key, const Json& json);
  Result<void> finish_call(Assembler::Key key, const Json& json);
  Result<void> finish_thinking(Assembler::Key key, const Json& json);
  Result<void> seal_thinking(Assembler::Key key, const Json& json);
  Result<void> finish_other(Assembler::Key key, const Json& json);
  Result<void> finish_open_calls();
  // The output_index of an event. Servers that leave it out (llama.cpp) name the item, or speak of the last one.
  Result<std::int64_t> index_of_event(std::string_view type, const Json& event) const;
  std::optional<std::int64_t> known_index(std::string_view id) const;
  // The output_index under which an item of the final list came, or a new one.
  std::int64_t index_of(const Json& json, std::int64_t position) const;
  std::int64_t next_index() const { return items_.empty() ? 0 : items_.rbegin()->first + 1; }

  Result<void> append_to_part(Item& item, std::int64_t content_index, bool refusal, std::string_view piece);
  Result<void> set_text(Item& item, std::int64_t content_index, const Json& part);
  Result<void> set_part(Item& item, std::int64_t content_index, const Json& part);
  Result<void> append_thought(Item& item, bool summary, std::int64_t part, std::string_view piece);
  Result<Assembler::Key> open_part(Item& item, std::int64_t content_index, Block block);

  Assembler& assembler_;

  // The message under way.
  Assembler::Key next_key_ = 0;
  std::map<std::int64_t, Item> items_;                         // by output_index
  std::unordered_map<std::string, std::int64_t> index_of_id_;  // of an item, and of a call
  bool has_call_ = false;
  bool has_refusal_ = false;
};

}  // namespace deft
