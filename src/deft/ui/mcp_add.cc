#include "deft/ui/mcp_add.h"

#include <charconv>
#include <utility>
#include <vector>

namespace deft {
namespace {

std::unexpected<Error> usage(std::string what) { return fail(Errc::invalid_input, std::move(what)); }

bool is_web_address(std::string_view word) { return word.starts_with("http://") || word.starts_with("https://"); }

bool takes_value(std::string_view option) {
  return option == "-s" || option == "--scope" || option == "-t" || option == "--transport" || option == "-e" ||
         option == "--env" || option == "-H" || option == "--header" || option == "--timeout" ||
         option == "--headers-helper" || option == "--client-id" || option == "--callback-port";
}

Result<std::pair<std::string, std::string>> split_at(std::string_view text, char separator, std::string_view shape) {
  const auto at = text.find(separator);
  if (at == std::string_view::npos || at == 0) {
    return usage(json_quote(text) + " must have the form " + std::string(shape));
  }
  std::string_view value = text.substr(at + 1);
  while (separator == ':' && value.starts_with(' ')) value.remove_prefix(1);
  return std::pair(std::string(text.substr(0, at)), std::string(value));
}

Result<std::int64_t> parse_number(std::string_view text, std::string_view option) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return usage(std::string(option) + " takes a number, not " + json_quote(text));
  }
  return number;
}

struct Given {
  McpAddition addition{};
  std::string transport{};
  JsonObject env{};
  JsonObject headers{};
  JsonObject oauth{};
  JsonObject more{};
  std::vector<std::string> rest{};  // the name and what follows it
};

Result<void> take_option(const std::string& option, const std::string& value, Given& given) {
  if (option == "-s" || option == "--scope") {
    auto scope = parse_mcp_scope(value);
    if (!scope) return std::unexpected(std::move(scope.error()));
    given.addition.scope = *scope;
  } else if (option == "-t" || option == "--transport") {
    if (value != "stdio" && value != "http" && value != "sse") {
      return usage("--transport is stdio, http or sse, not " + json_quote(value));
    }
    given.transport = value;
  } else if (option == "-e" || option == "--env") {
    auto pair = split_at(value, '=', "NAME=VALUE");
    if (!pair) return std::unexpected(std::move(pair.error()));
    given.env[pair->first] = pair->second;
  } else if (option == "-H" || option == "--header") {
    auto pair = split_at(value, ':', "\"Name: value\"");
    if (!pair) return std::unexpected(std::move(pair.error()));
    given.headers[pair->first] = pair->second;
  } else if (option == "--timeout" || option == "--callback-port") {
    auto number = parse_number(value, option);
    if (!number) return std::unexpected(std::move(number.error()));
    if (option == "--timeout") {
      given.more["timeout"] = *number;
    } else {
      given.oauth["callbackPort"] = *number;
    }
  } else if (option == "--headers-helper") {
    given.more["headersHelper"] = value;
  } else {
    given.oauth["clientId"] = value;
  }
  return {};
}

Result<Given> read_words(std::span<const std::string> words) {
  Given given;
  bool only_operands = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    // Behind a command everything is its own; an address takes nothing, so what follows it is ours.
    const bool is_ours = given.rest.size() < 2 || is_web_address(given.rest[1]);
    const bool is_option = !only_operands && is_ours && word.size() > 1 && word.starts_with('-');
    if (is_option && word == "--") {
      only_operands = true;
    } else if (const auto equals = word.find('=');
               is_option && word.starts_with("--") && takes_value(word.substr(0, equals)) && equals < word.size()) {
      auto taken = take_option(word.substr(0, equals), word.substr(equals + 1), given);
      if (!taken) return std::unexpected(std::move(taken.error()));
    } else if (is_option && takes_value(word)) {
      if (i + 1 == words.size()) return usage(word + " needs a value");
      if (auto taken = take_option(word, words[++i], given); !taken) return std::unexpected(std::move(taken.error()));
    } else if (is_option) {
      return usage("unknown option " + word);
    } else {
      given.rest.push_back(word);
    }
  }
  return given;
}

Result<McpAddition> checked(McpAddition addition) {
  auto server = read_mcp_server(addition.name, addition.entry);
  if (!server) return std::unexpected(std::move(server.error()));
  return addition;
}

}  // namespace

Result<McpScope> parse_mcp_scope(std::string_view word) {
  if (word == "local") return McpScope::local;
  if (word == "project") return McpScope::project;
  if (word == "user") return McpScope::user;
  return usage("--scope is local, project or user, not " + json_quote(word));
}

Result<McpAddition> parse_mcp_add(std::span<const std::string> words) {
  auto given = read_words(words);
  if (!given) return std::unexpected(std::move(given.error()));
  if (given->rest.size() < 2) return usage("it takes a name and a command or a URL");
  given->addition.name = given->rest[0];
  const std::string& target = given->rest[1];
  const bool is_url = is_web_address(target);
  if (given->transport.empty()) given->transport = is_url ? "http" : "stdio";
  JsonObject entry{{"type", given->transport}};
  if (given->transport == "stdio") {
    if (is_url) return usage("a URL needs --transport http or sse");
    if (!given->headers.empty()) return usage("--header is for servers on the web");
    entry["command"] = target;
    JsonArray args;
    for (std::size_t i = 2; i < given->rest.size(); ++i) args.emplace_back(given->rest[i]);
    entry["args"] = std::move(args);
    if (!given->env.empty()) entry["env"] = std::move(given->env);
  } else {
    if (!is_url) return usage(json_quote(target) + " is not a web address");
    if (given->rest.size() > 2) return usage("a server on the web takes no arguments");
    if (!given->env.empty()) return usage("--env is for servers that are programs");
    entry["url"] = target;
    if (!given->headers.empty()) entry["headers"] = std::move(given->headers);
    if (!given->oauth.empty()) entry["oauth"] = std::move(given->oauth);
  }
  for (const auto& [key, value] : given->more) entry[key] = value;
  given->addition.entry = std::move(entry);
  return checked(std::move(given->addition));
}

Result<McpAddition> parse_mcp_add_json(std::span<const std::string> words) {
  auto given = read_words(words);
  if (!given) return std::unexpected(std::move(given.error()));
  if (given->rest.size() != 2) return usage("it takes a name and a JSON object");
  auto entry = parse_json(given->rest[1]);
  if (!entry) return std::unexpected(std::move(entry.error()));
  given->addition.name = given->rest[0];
  given->addition.entry = *std::move(entry);
  return checked(std::move(given->addition));
}

}  // namespace deft
