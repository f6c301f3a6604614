#include "deft/core/schema_metaschemas.h"

#include <map>
#include <string>

#include "deft/base/check.h"
#include "deft/core/schema_uri.h"

namespace deft::schema {
namespace {

// The specification's documents without titles, comments, defaults, formats and vocabularies: none of these changes
// which schemas are accepted.
constexpr std::string_view kMetaschemas[] = {
    R"json({"$schema":"http://json-schema.org/draft-07/schema#","$id":"http://json-schema.org/draft-07/schema#",
"definitions":{"schemaArray":{"type":"array","minItems":1,"items":{"$ref":"#"}},
"nonNegativeInteger":{"type":"integer","minimum":0},
"nonNegativeIntegerDefault0":{"allOf":[{"$ref":"#/definitions/nonNegativeInteger"},{}]},
"simpleTypes":{"enum":["array","boolean","integer","null","number","object","string"]},
"stringArray":{"type":"array","items":{"type":"string"},"uniqueItems":true}},"type":["object","boolean"],
"properties":{"$id":{"type":"string"},"$schema":{"type":"string"},"$ref":{"type":"string"},
"$comment":{"type":"string"},"title":{"type":"string"},"description":{"type":"string"},"default":true,
"readOnly":{"type":"boolean"},"examples":{"type":"array","items":true},"multipleOf":{"type":"number",
"exclusiveMinimum":0},"maximum":{"type":"number"},"exclusiveMaximum":{"type":"number"},
"minimum":{"type":"number"},"exclusiveMinimum":{"type":"number"},
"maxLength":{"$ref":"#/definitions/nonNegativeInteger"},
"minLength":{"$ref":"#/definitions/nonNegativeIntegerDefault0"},"pattern":{"type":"string"},
"additionalItems":{"$ref":"#"},"items":{"anyOf":[{"$ref":"#"},{"$ref":"#/definitions/schemaArray"}]},
"maxItems":{"$ref":"#/definitions/nonNegativeInteger"},
"minItems":{"$ref":"#/definitions/nonNegativeIntegerDefault0"},"uniqueItems":{"type":"boolean"},
"contains":{"$ref":"#"},"maxProperties":{"$ref":"#/definitions/nonNegativeInteger"},
"minProperties":{"$ref":"#/definitions/nonNegativeIntegerDefault0"},
"required":{"$ref":"#/definitions/stringArray"},"additionalProperties":{"$ref":"#"},
"definitions":{"type":"object","additionalProperties":{"$ref":"#"}},"properties":{"type":"object",
"additionalProperties":{"$ref":"#"}},"patternProperties":{"type":"object","additionalProperties":{"$ref":"#"},
"propertyNames":{}},"dependencies":{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#"},
{"$ref":"#/definitions/stringArray"}]}},"propertyNames":{"$ref":"#"},"const":true,"enum":{"type":"array",
"items":true},"type":{"anyOf":[{"$ref":"#/definitions/simpleTypes"},{"type":"array",
"items":{"$ref":"#/definitions/simpleTypes"},"minItems":1,"uniqueItems":true}]},"format":{"type":"string"},
"contentMediaType":{"type":"string"},"contentEncoding":{"type":"string"},"if":{"$ref":"#"},"then":{"$ref":"#"},
"else":{"$ref":"#"},"allOf":{"$ref":"#/definitions/schemaArray"},"anyOf":{"$ref":"#/definitions/schemaArray"},
"oneOf":{"$ref":"#/definitions/schemaArray"},"not":{"$ref":"#"}}})json",
    R"json({"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://json-schema.org/draft/2020-12/schema",
"$dynamicAnchor":"meta","allOf":[{"$ref":"meta/core"},{"$ref":"meta/applicator"},{"$ref":"meta/unevaluated"},
{"$ref":"meta/validation"},{"$ref":"meta/meta-data"},{"$ref":"meta/format-annotation"},{"$ref":"meta/content"}],
"type":["object","boolean"],"properties":{"definitions":{"type":"object",
"additionalProperties":{"$dynamicRef":"#meta"}},"dependencies":{"type":"object",
"additionalProperties":{"anyOf":[{"$dynamicRef":"#meta"},{"$ref":"meta/validation#/$defs/stringArray"}]}},
"$recursiveAnchor":{"$ref":"meta/core#/$defs/anchorString"},
"$recursiveRef":{"$ref":"meta/core#/$defs/uriReferenceString"}}})json",
    R"json({"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://json-schema.org/draft/2020-12/meta/core",
"$dynamicAnchor":"meta","type":["object","boolean"],"properties":{"$id":{"$ref":"#/$defs/uriReferenceString",
"pattern":"^[^#]*#?$"},"$schema":{"$ref":"#/$defs/uriString"},"$ref":{"$ref":"#/$defs/uriReferenceString"},
"$anchor":{"$ref":"#/$defs/anchorString"},"$dynamicRef":{"$ref":"#/$defs/uriReferenceString"},
"$dynamicAnchor":{"$ref":"#/$defs/anchorString"},"$vocabulary":{"type":"object",
"propertyNames":{"$ref":"#/$defs/uriString"},"additionalProperties":{"type":"boolean"}},
"$comment":{"type":"string"},"$defs":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}}},
"$defs":{"anchorString":{"type":"string","pattern":"^[A-Za-z_][-A-Za-z0-9._]*$"},"uriString":{"type":"string"},
"uriReferenceString":{"type":"string"}}})json",
    R"json({"$schema":"https://json-schema.org/draft/2020-12/schema",
"$id":"https://json-schema.org/draft/2020-12/meta/applicator","$dynamicAnchor":"meta","type":["object","boolean"],
"properties":{"prefixItems":{"$ref":"#/$defs/schemaArray"},"items":{"$dynamicRef":"#meta"},
"contains":{"$dynamicRef":"#meta"},"additionalProperties":{"$dynamicRef":"#meta"},"properties":{"type":"object",
"additionalProperties":{"$dynamicRef":"#meta"}},"patternProperties":{"type":"object",
"additionalProperties":{"$dynamicRef":"#meta"},"propertyNames":{}},"dependentSchemas":{"type":"object",
"additionalProperties":{"$dynamicRef":"#meta"}},"propertyNames":{"$dynamicRef":"#meta"},
"if":{"$dynamicRef":"#meta"},"then":{"$dynamicRef":"#meta"},"else":{"$dynamicRef":"#meta"},
"allOf":{"$ref":"#/$defs/schemaArray"},"anyOf":{"$ref":"#/$defs/schemaArray"},
"oneOf":{"$ref":"#/$defs/schemaArray"},"not":{"$dynamicRef":"#meta"}},"$defs":{"schemaArray":{"type":"array",
"minItems":1,"items":{"$dynamicRef":"#meta"}}}})json",
    R"json({"$schema":"https://json-schema.org/draft/2020-12/schema",
"$id":"https://json-schema.org/draft/2020-12/meta/unevaluated","$dynamicAnchor":"meta","type":["object",
"boolean"],"properties":{"unevaluatedItems":{"$dynamicRef":"#meta"},
"unevaluatedProperties":{"$dynamicRef":"#meta"}}})json",
    R"json({"$schema":"https://json-schema.org/draft/2020-12/schema",
"$id":"https://json-schema.org/draft/2020-12/meta/validation","$dynamicAnchor":"meta","type":["object","boolean"],
"properties":{"type":{"anyOf":[{"$ref":"#/$defs/simpleTypes"},{"type":"array",
"items":{"$ref":"#/$defs/simpleTypes"},"minItems":1,"uniqueItems":true}]},"const":true,"enum":{"type":"array",
"items":true},"multipleOf":{"type":"number","exclusiveMinimum":0},"maximum":{"type":"number"},
"exclusiveMaximum":{"type":"number"},"minimum":{"type":"number"},"exclusiveMinimum":{"type":"number"},
"maxLength":{"$ref":"#/$defs/nonNegativeInteger"},"minLength":{"$ref":"#/$defs/nonNegativeIntegerDefault0"},
"pattern":{"type":"string"},"maxItems":{"$ref":"#/$defs/nonNegativeInteger"},
"minItems":{"$ref":"#/$defs/nonNegativeIntegerDefault0"},"uniqueItems":{"type":"boolean"},
"maxContains":{"$ref":"#/$defs/nonNegativeInteger"},"minContains":{"$ref":"#/$defs/nonNegativeInteger"},
"maxProperties":{"$ref":"#/$defs/nonNegativeInteger"},
"minProperties":{"$ref":"#/$defs/nonNegativeIntegerDefault0"},"required":{"$ref":"#/$defs/stringArray"},
"dependentRequired":{"type":"object","additionalProperties":{"$ref":"#/$defs/stringArray"}}},
"$defs":{"nonNegativeInteger":{"type":"integer","minimum":0},
"nonNegativeIntegerDefault0":{"$ref":"#/$defs/nonNegativeInteger"},"simpleTypes":{"enum":["array","boolean",
"integer","null","number","object","string"]},"stringArray":{"type":"array","items":{"type":"string"},
"uniqueItems":true}}})json",
    R"json({"$schema":"https://json-schema.org/draft/2020-12/schema",
"$id":"https://json-schema.org/draft/2020-12/meta/meta-data","$dynamicAnchor":"meta","type":["object","boolean"],
"properties":{"title":{"type":"string"},"description":{"type":"string"},"default":true,
"deprecated":{"type":"boolean"},"readOnly":{"type":"boolean"},"writeOnly":{"type":"boolean"},
"examples":{"type":"array","items":true}}})json",
    R"json({"$schema":"https://json-schema.org/draft/2020-12/schema",
"$id":"https://json-schema.org/draft/2020-12/meta/format-annotation","$dynamicAnchor":"meta","type":["object",
"boolean"],"properties":{"format":{"type":"string"}}})json",
    R"json({"$schema":"https://json-schema.org/draft/2020-12/schema",
"$id":"https://json-schema.org/draft/2020-12/meta/format-assertion","$dynamicAnchor":"meta","type":["object",
"boolean"],"properties":{"format":{"type":"string"}}})json",
    R"json({"$schema":"https://json-schema.org/draft/2020-12/schema",
"$id":"https://json-schema.org/draft/2020-12/meta/content","$dynamicAnchor":"meta","type":["object","boolean"],
"properties":{"contentEncoding":{"type":"string"},"contentMediaType":{"type":"string"},
"contentSchema":{"$dynamicRef":"#meta"}}})json",
};

using Documents = std::map<std::string, Json, std::less<>>;

Documents parse_metaschemas() {
  Documents documents;
  for (const std::string_view text : kMetaschemas) {
    auto document = parse_json(text);
    DEFT_CHECK(document);
    const auto id = find_string(*document, "$id");
    DEFT_CHECK(id);
    documents.emplace(split_fragment(*id).uri, std::move(*document));
  }
  return documents;
}

}  // namespace

const Json* find_metaschema(std::string_view uri) {
  static const Documents documents = parse_metaschemas();  // on first use: few schemas refer to them
  const auto found = documents.find(uri);
  return found == documents.end() ? nullptr : &found->second;
}

}  // namespace deft::schema
