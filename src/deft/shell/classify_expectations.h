#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "deft/shell/classify.h"

// For tests: lists of commands with the same verdict.

namespace deft::shell {

inline void expect_read_only(std::initializer_list<const char*> commands, const ClassifyOptions& options) {
  for (const char* command : commands) {
    const Verdict verdict = classify(command, options);
    EXPECT_TRUE(verdict.read_only) << command << "\n  " << verdict.reason;
  }
}

inline void expect_not_read_only(std::initializer_list<const char*> commands, const ClassifyOptions& options) {
  for (const char* command : commands) EXPECT_FALSE(classify(command, options).read_only) << command;
}

}  // namespace deft::shell
