// SPDX-License-Identifier: BSD-3-Clause
#include "rntuple/type_infos.h"

#include "root/streamer_info_union.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace skimline::io {

void TypeInfos::add(const std::vector<std::string>& of_file) {
  for (const std::string& info : of_file)
    if (std::find(all_.begin(), all_.end(), info) == all_.end()) all_.push_back(info);
}

std::vector<std::string> TypeInfos::united() const {
  if (all_.size() < 2) return all_;
  StreamerInfoUnion infos;
  for (const std::string& info : all_) infos.add_object(std::as_bytes(std::span(info)));
  if (infos.empty()) return {all_.front()};
  const std::vector<std::byte> object = infos.object();
  return {std::string(reinterpret_cast<const char*>(object.data()), object.size())};
}

}  // namespace skimline::io
