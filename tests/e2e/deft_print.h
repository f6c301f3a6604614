#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/testing/program.h"
#include "deft/testing/temp_folder.h"
#include "deft_exec.h"
#include "model_peer.h"

namespace deft::testing {

inline const Arguments kStreamJson = {"--output-format", "stream-json", "--verbose"};
// As SDKs start us.
inline const Arguments kHosted = {"--output-format", "stream-json", "--verbose", "--input-format", "stream-json"};

Arguments operator+(Arguments first, const Arguments& second);

// A person's place on a machine: a home, and a project in which deft is started, again and again.
class PrintPlace {
 public:
  const TempFolder project;
  const TempFolder home;
  std::vector<std::string> environment = {};  // NAME=VALUE, beside the few that every run gets
  bool small_output_pipe = false;

  // `deft` with these arguments, its model at `url`.
  std::unique_ptr<Program> start(const std::string& url, const Arguments& arguments) const;
  // Runs to the end, with all of its input at once.
  Finished run(const ModelPeer& model, const Arguments& arguments, std::string_view input = {}) const;
  // The lines of a run with --output-format stream-json.
  std::vector<Json> lines(const ModelPeer& model, const Arguments& arguments, std::string_view input = {}) const;
};

// The lines of a text.
std::vector<Json> json_lines(std::string_view text);
// All of this type, and of this subtype if one is given.
std::vector<Json> of_type(const std::vector<Json>& lines, std::string_view type, std::string_view subtype = {});
// Content blocks of this type in the messages of the lines, in order.
std::vector<Json> blocks_of(const std::vector<Json>& lines, std::string_view type);

// A host at work: lines in, lines out.
class HostedDeft {
 public:
  HostedDeft(const PrintPlace& place, const std::string& url, const Arguments& more = {});

  void say(std::string_view text, const JsonObject& more = {});
  // Sends the request; the response's "response" when it is there. An error is an exception.
  Json request(JsonObject request);
  std::string send_request(JsonObject request);  // returns its id
  Json response(const std::string& id);          // the whole inner response
  void respond(const Json& request_line, const Json& response);
  void send(const JsonObject& line) { program->write(to_json(line) + "\n"); }
  // The next line, after those that were looked at before, that fits. An exception if the output ends without it.
  Json next(const std::function<bool(const Json&)>& fits);
  Json next(std::string_view type, std::string_view subtype = {});
  Json next_request(std::string_view subtype);  // of deft's own
  int finish();                                 // ends the input, reads the rest and waits: the exit code
  const std::vector<Json>& lines() const { return lines_; }

  std::unique_ptr<Program> program;

 private:
  bool read_line();

  std::vector<Json> lines_;
  std::size_t looked_at_ = 0;
  std::size_t requests_ = 0;
};

}  // namespace deft::testing
