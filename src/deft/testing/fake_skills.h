#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "deft/tools/skill.h"

namespace deft {

// Skills that a test makes. Trusted unless it says otherwise.
class FakeSkills final : public Skills {
 public:
  Skill& add(std::string name, std::string body) {
    Skill& skill = by_name_[name];
    skill = {.name = name,
             .path = "/skills/" + name + "/SKILL.md",
             .folder = "/skills/" + name,
             .trusted = true,
             .description = "About " + name,
             .body = std::move(body)};
    return skill;
  }

  std::vector<Skill> for_model() const override {
    std::vector<Skill> skills = all();
    std::erase_if(skills, [](const Skill& skill) { return !skill.for_model; });
    return skills;
  }
  Result<Skill> find(std::string_view name) const override {
    const auto found = by_name_.find(std::string(name));
    if (found == by_name_.end()) return fail(Errc::not_found, "There is no skill " + std::string(name));
    return found->second;
  }
  std::optional<Skill> known(std::string_view name) const override {
    const auto found = by_name_.find(std::string(name));
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<Skill> all() const override {
    std::vector<Skill> skills;
    for (const auto& [name, skill] : by_name_) skills.push_back(skill);
    return skills;
  }

 private:
  std::map<std::string, Skill> by_name_;
};

}  // namespace deft
