#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "deft/base/json.h"
#include "deft/base/shared_text.h"
#include "deft/model/model_transfers.h"

namespace deft {

// One tool as it may be offered: what the APIs refuse is made so that they take it.
struct OfferedTool {
  std::string name;
  std::string description;   // JSON: a string
  std::string input_schema;  // JSON: an object; of its root's anyOf, oneOf and allOf only the properties are left
  bool deferred = false;     // the API loads it where a result refers to it
};

// The tools of a request in the words of one API; tools of the provider's own ({"type": …}, without an input schema) as
// they are. The same tools give the same bytes, and are not worked out twice.
class OfferedTools {
 public:
  using Write = std::function<std::string(const OfferedTool&)>;  // one tool as JSON text
  explicit OfferedTools(Write write) : write_(std::move(write)) {}

  struct Written {
    std::string json;  // "[…]"; empty: no tools
    std::shared_ptr<const OfferedNames> names;
  };
  // `tools` as in ModelRequest.
  std::shared_ptr<const Written> write(const SharedText& tools);

 private:
  const Write write_;
  std::mutex mutex_;
  SharedText last_tools_;                // under mutex_
  std::shared_ptr<const Written> last_;  // under mutex_
};

// An input schema whose root is a plain object.
Json plain_root(Json schema);

}  // namespace deft
