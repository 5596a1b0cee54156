// SPDX-License-Identifier: BSD-3-Clause
// The commands of the program. Each is defined in the file of its name, "run_command.cc".
#pragma once

#include "command.h"

#include <span>

namespace skimline::skims {

extern const Command kRunCommand, kPlanCommand, kInspectCommand, kVerifyCommand, kGenerateCommand,
    kConvertCommand, kMergeCommand, kShowCommand, kPlotCommand, kDiffCommand, kRecoverCommand, kRerunCommand,
    kValidateCommand, kSchemaCommand, kInitCommand, kStoreCommand, kSubmitCommand, kStatusCommand,
    kCollectCommand, kWatchCommand, kDoctorCommand, kUpgradeCommand, kManCommand, kCompletionCommand;

/// All of them, in the order of the help.
std::span<const Command* const> commands();

}  // namespace skimline::skims
