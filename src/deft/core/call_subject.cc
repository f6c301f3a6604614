#include "deft/core/call_subject.h"

namespace deft {
namespace {

constexpr std::string_view kSocketField = "ws";

}  // namespace

Subject subject_of_call(std::string_view tool, const Json* input) {
  const bool is_socket = tool == "Monitor" && input && find_object(*input, kSocketField) && !find(*input, "command");
  return is_socket ? Subject{SubjectKind::domain, kSocketField} : subject_of(tool);
}

std::string_view subject_text(const Subject& subject, const Json* input) {
  if (!input) return {};
  if (subject.kind != SubjectKind::domain || subject.field != kSocketField) {
    return find_string(*input, subject.field).value_or("");
  }
  const JsonObject* socket = find_object(*input, kSocketField);
  return socket ? find_string(*socket, "url").value_or("") : std::string_view();
}

std::string_view tool_for_host(const Subject& subject) {
  return subject.kind == SubjectKind::domain && subject.field == kSocketField ? "WebFetch" : "";
}

}  // namespace deft
