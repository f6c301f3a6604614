#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"

// JSON Schema, drafts 2020-12 (the default) and 07, for schemas that strangers send. Nothing is ever fetched: a $ref
// must stay inside the document or name one of the published meta-schemas. Formats are annotations.
//
// The parts: schema_resources ($id, anchors, references) and schema_compile turn a document into a schema::Program
// once; schema_evaluate runs it on a value; schema_problems and schema_text put into words why a value does not fit.

namespace deft {

inline constexpr std::size_t kSchemaValuesMax = 100'000;
inline constexpr std::size_t kSchemaTextBytesMax = std::size_t{4} << 20;  // keys and strings together
inline constexpr std::size_t kSchemaDepthMax = kJsonDepthMax;
inline constexpr std::size_t kSchemaResourcesMax = 1'000;                    // subschemas with an $id
inline constexpr std::size_t kSchemaPatternBytesMax = std::size_t{4} << 20;  // memory of all compiled patterns
inline constexpr std::uint64_t kSchemaStepsMax = 5'000'000;                  // of one validation: some 100 ms
inline constexpr std::size_t kSchemaEvaluationDepthMax = 1'000;
inline constexpr std::size_t kSchemaProblemsMax = 20;

struct SchemaLimits {
  std::size_t values_max = kSchemaValuesMax;
  std::size_t text_bytes_max = kSchemaTextBytesMax;
  std::size_t depth_max = kSchemaDepthMax;
  std::uint64_t steps_max = kSchemaStepsMax;
};

// One place where a value does not fit: `path` as in `todos[2].status`, empty for the value itself.
struct SchemaProblem {
  std::string path;
  std::string expected;
  std::string got;
};

namespace schema {
struct Program;
}

// Compiled once, immutable, cheap to copy, usable from several threads at a time.
class Schema {
 public:
  // The error names the place in the schema as a JSON pointer and what is wrong there.
  static Result<Schema> compile(const Json& document, const SchemaLimits& limits = {});

  bool accepts(const Json& value) const;
  // Empty: the value fits. At most kSchemaProblemsMax. What could not be decided within the limits does not fit.
  std::vector<SchemaProblem> validate(const Json& value) const;

 private:
  explicit Schema(std::shared_ptr<const schema::Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const schema::Program> program_;
};

// What a model gets to read: begins with "InputValidationError:", one line for each problem.
std::string input_validation_error(std::span<const SchemaProblem> problems);

}  // namespace deft
