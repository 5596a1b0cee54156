// SPDX-License-Identifier: BSD-3-Clause
#include "commands.h"

#include <array>

namespace skimline::skims {

std::span<const Command* const> commands() {
  static constexpr std::array kCommands{
      &kRunCommand,     &kPlanCommand,   &kInspectCommand,  &kVerifyCommand,    &kGenerateCommand,
      &kConvertCommand, &kMergeCommand,  &kShowCommand,     &kPlotCommand,      &kDiffCommand,
      &kRecoverCommand, &kRerunCommand,  &kValidateCommand, &kUpgradeCommand,   &kSchemaCommand,
      &kInitCommand,    &kStoreCommand,  &kSubmitCommand,   &kStatusCommand,    &kCollectCommand,
      &kWatchCommand,   &kDoctorCommand, &kManCommand,      &kCompletionCommand};
  return kCommands;
}

}  // namespace skimline::skims
