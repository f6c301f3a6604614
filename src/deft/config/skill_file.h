#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"
#include "deft/core/skill.h"

namespace deft {

inline constexpr std::size_t kSkillFileBytesMax = std::size_t{1} << 20;
inline constexpr std::size_t kSkillNameBytesMax = 200;

// What is known of it before it is read: what it is called, and where it stands.
struct SkillPlace {
  std::string name;
  Skill::Kind kind = Skill::Kind::skill;
  Skill::Source source = Skill::Source::project;
  std::string path = {};
  std::string folder = {};
  bool trusted = false;
};

// From the text of its file. Keys that deft does not know are left alone; a known key with a wrong value is an error
// that names it, because what it would have forbidden is not known. A file without a description is described by the
// first line of its text. `notes`: what people should know and can live with.
Result<Skill> read_skill(const SkillPlace& place, std::string_view text, std::vector<std::string>& notes);

// Whether it can be called: "/name" is one word.
bool is_skill_name(std::string_view name);

}  // namespace deft
