#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "deft/mcp/service.h"

namespace deft {

// What the official conformance suite expects of a server: tools, resources and prompts with names and answers that are
// written down there. Everything that is protocol comes from the library.
class ConformanceFixtures final : public McpService {
 public:
  explicit ConformanceFixtures(std::function<void(const McpChange&)> announce) : announce_(std::move(announce)) {}
  ~ConformanceFixtures() override;

  McpServerFace face(McpEra era) const override;
  void handle(std::shared_ptr<McpServed> request) override;
  std::optional<Json> input_schema(std::string_view tool) const override;
  void session_ended(const std::string&) override {}

 private:
  using Served = std::shared_ptr<McpServed>;
  void call_tool(const Served& request);
  bool call_with_input(const std::string& tool, const Served& request);
  void get_prompt(const Served& request);
  void read_resource(const Served& request);
  void later(std::function<void()> work);
  // A state that only we can have given out.
  std::string new_state(const std::string& tool);
  bool take_state(const std::string& tool, const Json& params);

  const std::function<void(const McpChange&)> announce_;
  std::mutex mutex_;
  std::map<std::string, std::string> states_;  // under mutex_; by state, the tool that gave it
  std::vector<std::jthread> threads_;          // under mutex_
};

}  // namespace deft
