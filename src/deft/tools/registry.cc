#include "deft/tools/registry.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace deft {
namespace {

constexpr std::size_t kToolNameCharactersMax = 128;
constexpr std::size_t kDefinitionEndCharactersMax = 24;  // ,"defer_loading":true},

bool is_tool_name(std::string_view name) {
  if (name.empty() || name.size() > kToolNameCharactersMax) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

Result<RegisteredTool> registered(std::shared_ptr<Tool> tool, ToolRegistry::SchemaCheck check) {
  const ToolSpec& spec = tool->spec();
  if (!is_tool_name(spec.name)) {
    return fail(Errc::invalid_input, "the tool name " + json_quote(spec.name.substr(0, kToolNameCharactersMax)) +
                                         " must be 1 to 128 letters, digits, '_', '-' or '.'");
  }
  auto form = std::make_shared<ToolForm>(tool);
  if (check == ToolRegistry::SchemaCheck::now && !form->input_schema()) {
    return fail(Errc::invalid_input,
                "the input schema of " + spec.name + " is unusable: " + form->input_schema().error().message);
  }
  return RegisteredTool{std::move(tool), std::move(form)};
}

bool is_built_in(const RegisteredTool& entry) { return entry.tool->spec().origin == Origin::built_in; }

bool may_be_deferred(const ToolSpec& spec) {
  if (spec.always_load || spec.finds_tools) return false;
  return spec.should_defer || spec.origin == Origin::mcp;
}

void append_definition(std::string& out, const RegisteredTool& entry, const SessionState& session, bool deferred) {
  if (out.size() > 1) out += ',';
  entry.form->append_to(out, session);
  out += deferred ? R"(,"defer_loading":true})" : "}";
}

}  // namespace

ToolForm::ToolForm(std::shared_ptr<const Tool> tool)
    : tool_(std::move(tool)),
      schema_(to_json(tool_->spec().input_schema)),
      written_(written(tool_->spec().description)) {}

std::string ToolForm::written(std::string_view description) const {
  std::string out = R"({"name":)";
  append_json_string(out, tool_->spec().name);
  out += R"(,"description":)";
  append_json_string(out, description);
  return out + R"(,"input_schema":)" + schema_;
}

void ToolForm::append_to(std::string& out, const SessionState& session) const {
  auto description = tool_->description_now(session);
  if (!description) {
    out += written_;
    return;
  }
  const std::lock_guard lock(mutex_);
  if (last_written_.empty() || *description != last_description_) {
    last_written_ = written(description->str());
    last_description_ = std::move(*description);
  }
  out += last_written_;
}

const Result<Schema>& ToolForm::input_schema() {
  std::call_once(once_, [this] { input_schema_.emplace(Schema::compile(tool_->spec().input_schema)); });
  return *input_schema_;
}

const RegisteredTool* ToolPool::find(std::string_view name) const {
  auto found = by_name_.find(std::string(name));
  if (found == by_name_.end()) {
    const auto alias = name_of_alias_.find(std::string(name));
    if (alias == name_of_alias_.end()) return nullptr;
    found = by_name_.find(alias->second);
  }
  return found == by_name_.end() ? nullptr : &found->second;
}

std::string ToolPool::definitions(const SessionState& session) const {
  std::string out = "[";
  std::size_t characters = 0;
  for (const RegisteredTool& entry : advertised_) characters += entry.form->characters() + kDefinitionEndCharactersMax;
  out.reserve(characters);
  for (const RegisteredTool& entry : advertised_) {
    if (!is_deferred(entry.tool->spec().name)) append_definition(out, entry, session, false);
  }
  std::unordered_set<std::string_view> shown;
  const std::vector<std::string>& loaded = session.tools.loaded;
  const std::size_t count = by_reference_ ? std::min(session.tools.listed, loaded.size()) : loaded.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_deferred(loaded[i]) || !shown.insert(loaded[i]).second) continue;
    append_definition(out, by_name_.at(loaded[i]), session, false);
  }
  if (by_reference_) {
    for (const std::string& name : deferred_) {
      if (!shown.contains(name)) append_definition(out, by_name_.at(name), session, true);
    }
  }
  out += ']';
  return out;
}

// --- who is in ---

bool ToolRegistry::comes_before(const Entry& a, const Entry& b) {
  const ToolSpec& left = a.registered.tool->spec();
  const ToolSpec& right = b.registered.tool->spec();
  return std::tuple(left.origin != Origin::built_in, std::string_view(left.name), a.group, left.origin) <
         std::tuple(right.origin != Origin::built_in, std::string_view(right.name), b.group, right.origin);
}

Result<void> ToolRegistry::add(std::shared_ptr<Tool> tool, SchemaCheck check) {
  auto made = registered(std::move(tool), check);
  if (!made) return std::unexpected(made.error());
  Entry entry{std::move(*made)};
  const ToolSpec& spec = entry.registered.tool->spec();
  const auto same = std::find_if(tools_.begin(), tools_.end(), [&](const Entry& other) {
    const ToolSpec& its = other.registered.tool->spec();
    return other.group == 0 && its.name == spec.name && its.origin == spec.origin;
  });
  ++version_;
  if (same != tools_.end()) {
    *same = std::move(entry);
    return {};
  }
  tools_.insert(std::upper_bound(tools_.begin(), tools_.end(), entry, comes_before), std::move(entry));
  return {};
}

std::size_t ToolRegistry::number_of(const std::string& group) {
  const auto found = std::ranges::find(groups_, group);
  if (found != groups_.end()) return static_cast<std::size_t>(found - groups_.begin()) + 1;
  groups_.push_back(group);
  return groups_.size();
}

std::string ToolRegistry::name_of(std::size_t group) const { return group == 0 ? "the host" : groups_[group - 1]; }

std::vector<std::string> ToolRegistry::set_group(const std::string& group, std::vector<std::shared_ptr<Tool>> tools) {
  std::vector<std::string> notices;
  const std::size_t number = number_of(group);
  ++version_;
  std::erase_if(tools_, [&](const Entry& entry) { return entry.group == number; });
  std::unordered_set<std::string> names_of_built_ins;
  std::unordered_map<std::string, std::size_t> owners;  // among the strangers; who wins
  for (const Entry& entry : tools_) {
    const ToolSpec& spec = entry.registered.tool->spec();
    if (is_built_in(entry.registered)) {
      names_of_built_ins.insert(spec.name);
      names_of_built_ins.insert(spec.aliases.begin(), spec.aliases.end());
    } else {
      owners.try_emplace(spec.name, entry.group);
    }
  }
  if (tools.size() > kToolsPerGroupMax) {
    notices.push_back(group + " offers " + std::to_string(tools.size()) + " tools; only the first " +
                      std::to_string(kToolsPerGroupMax) + " are used");
    tools.resize(kToolsPerGroupMax);
  }
  std::unordered_set<std::string> own;
  for (std::shared_ptr<Tool>& tool : tools) {
    const std::string name = tool->spec().name;
    const auto leave_out = [&](const std::string& why) {
      notices.push_back("the tool " + json_quote(name.substr(0, kToolNameCharactersMax)) + " of " + group +
                        " is not used: " + why);
    };
    if (tool->spec().origin == Origin::built_in || names_of_built_ins.contains(name)) {
      leave_out("a built-in tool has this name");
      continue;
    }
    if (!own.insert(name).second) {
      leave_out("it offers another one of the same name");
      continue;
    }
    auto made = registered(std::move(tool), SchemaCheck::now);
    if (!made) {
      leave_out(made.error().message);
      continue;
    }
    if (const auto owner = owners.find(name); owner != owners.end()) {
      const bool loses = owner->second < number;
      const std::string winner = loses ? name_of(owner->second) : group;
      const std::string loser = loses ? group : name_of(owner->second);
      notices.push_back("the tool " + name + " of " + loser + " is not used: " + winner +
                        " has one of the same name and comes first");
    }
    tools_.push_back({std::move(*made), number});
  }
  std::sort(tools_.begin(), tools_.end(), comes_before);
  return notices;
}

// --- what is shown ---

std::shared_ptr<const ToolPool> ToolRegistry::pool(const Permissions& permissions) {
  auto pool = std::make_shared<ToolPool>();
  for (const auto& [entry, group] : tools_) {
    const ToolSpec& spec = entry.tool->spec();
    pool->disabled_.push_back(entry.tool->disabled().has_value());
    if (offers_ && !offers_(spec)) continue;
    const bool takes_an_alias = group != 0 && pool->name_of_alias_.contains(spec.name);
    if (takes_an_alias || !pool->by_name_.emplace(spec.name, entry).second) continue;
    for (const std::string& alias : spec.aliases) pool->name_of_alias_.emplace(alias, spec.name);
    if (pool->disabled_.back() || permissions.forbids_wholly(spec.name, spec.aliases, spec.mcp)) continue;
    if (spec.finds_tools && deferral_.when == Deferral::When::never) continue;
    pool->advertised_.push_back(entry);
  }
  defer(*pool);
  pool->version_ = version_;
  return pool;
}

bool ToolRegistry::is_current(const ToolPool& pool) const {
  if (pool.version_ != version_) return false;
  for (std::size_t i = 0; i < tools_.size(); ++i) {
    if (tools_[i].registered.tool->disabled().has_value() != pool.disabled_[i]) return false;
  }
  return true;
}

void ToolRegistry::defer(ToolPool& pool) {
  if (deferral_.when == Deferral::When::never) return;
  const auto finds_tools = [](const RegisteredTool& entry) { return entry.tool->spec().finds_tools; };
  if (!std::ranges::any_of(pool.advertised_, finds_tools)) return;
  std::size_t characters = 0;
  for (const RegisteredTool& entry : pool.advertised_) characters += entry.form->characters();
  defers_ = defers_ || deferral_.when == Deferral::When::always || pool.advertised_.size() > deferral_.tools_max ||
            characters > deferral_.characters_max;
  if (!defers_) return;
  pool.by_reference_ = deferral_.by_reference;
  for (const RegisteredTool& entry : pool.advertised_) {
    const ToolSpec& spec = entry.tool->spec();
    if (may_be_deferred(spec) && !kept_listed_.contains(spec.name)) pool.deferred_.insert(spec.name);
  }
}

void ToolRegistry::keep_listed(const ToolPool& pool) {
  if (deferral_.when != Deferral::When::when_many || defers_) return;
  for (const RegisteredTool& entry : pool.advertised()) {
    if (may_be_deferred(entry.tool->spec()) && kept_listed_.insert(entry.tool->spec().name).second) ++version_;
  }
}

}  // namespace deft
