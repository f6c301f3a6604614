#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deft/base/precompiled.h"
