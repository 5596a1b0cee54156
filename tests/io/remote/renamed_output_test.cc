// SPDX-License-Identifier: BSD-3-Clause
// Outputs that get their name on a server, while others write the same name.
#include "remote/renamed_output.h"

#include "temporary_folder.h"

#include "skimline/framework/error.h"

#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>

namespace skimline::io {
namespace {

constexpr const char* kName = "root://server//folder/name.root";

using Contents = std::map<std::string, std::string>;

struct Server {
  Contents files;
  bool replaces = false;
  std::string checksum = "062c0215";  // of "hello"
  std::function<void(const std::string& from, const std::string& to)> before_rename;
};

class FilesOfServer : public NamedFiles {
 public:
  explicit FilesOfServer(Server& server) : server_(server) {}

  void send(const std::string& path, const std::string& name, StopFlag) override {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    server_.files[name] = text.str();
  }
  OpenedRemote open(const std::string&, StopFlag) override { throw Error("not asked for"); }
  std::optional<ServerChecksum> checksum(const std::string&, StopFlag) override {
    return ServerChecksum{"adler32", server_.checksum};
  }
  std::optional<std::uint64_t> size(const std::string& name) override {
    const auto found = server_.files.find(name);
    return found == server_.files.end() ? std::nullopt : std::optional<std::uint64_t>(found->second.size());
  }
  void rename(const std::string& from, const std::string& to) override {
    if (server_.before_rename) server_.before_rename(from, to);
    const auto found = server_.files.find(from);
    if (found == server_.files.end()) throw FileError(from, "no such file");
    if (!server_.replaces && server_.files.contains(to)) throw FileError(to, "is there");
    server_.files[to] = found->second;
    server_.files.erase(from);
  }
  bool replaces_by_renaming() const override { return server_.replaces; }
  void remove(const std::string& name, Patience) override {
    if (server_.files.erase(name) == 0) throw FileError(name, "no such file");
  }

 private:
  Server& server_;
};

class RenamedOutputs : public ::testing::TestWithParam<bool> {
 protected:
  RenamedOutputs() {
    server_.replaces = GetParam();
    std::ofstream(path_) << "hello";
  }

  std::unique_ptr<RemoteOutput> sent_output() {
    auto output = renamed_output(kName, std::make_unique<FilesOfServer>(server_));
    output->send(path_, {});
    return output;
  }

  const TemporaryFolder folder_{"renamed_outputs"};
  const std::string path_ = folder_.path("sent");
  Server server_;
};

INSTANTIATE_TEST_SUITE_P(Replacing, RenamedOutputs, ::testing::Bool());

TEST_P(RenamedOutputs, AreComparedWithChecksumsWithoutZerosInFront) {
  server_.checksum = "62c0215";
  EXPECT_NO_THROW(sent_output());
  for (const char* other : {"62c0216", "0062c0215", "", "62c02150"}) {
    server_.checksum = other;
    EXPECT_THROW(sent_output(), FileError) << other;
  }
}

TEST_P(RenamedOutputs, ReplaceWhatHasTheName) {
  server_.files[kName] = "old";
  const auto output = sent_output();
  output->publish(true);
  output->settle();
  EXPECT_EQ(server_.files, (Contents{{kName, "hello"}}));
}

TEST_P(RenamedOutputs, GiveTheNameBack) {
  server_.files[kName] = "old";
  const auto output = sent_output();
  output->publish(true);
  EXPECT_EQ(output->undo(), "");
  EXPECT_EQ(server_.files, (Contents{{kName, "old"}}));
}

// Another writer has taken the old file away after it was seen.
TEST_P(RenamedOutputs, TheOldFileGoesMeanwhile) {
  server_.files[kName] = "old";
  server_.before_rename = [&](const std::string& from, const std::string&) {
    if (from == kName) server_.files.erase(kName);
  };
  const auto output = sent_output();
  output->publish(true);
  output->settle();
  EXPECT_EQ(server_.files, (Contents{{kName, "hello"}}));
}

// Others publish in the moment in which nothing has the name, as often as they like.
TEST_P(RenamedOutputs, OthersPublishMeanwhile) {
  int others = 5;
  server_.before_rename = [&](const std::string&, const std::string& to) {
    if (to == kName && others-- > 0) server_.files[kName] = "of another";
  };
  const auto output = sent_output();
  output->publish(false);
  output->settle();
  EXPECT_EQ(server_.files, (Contents{{kName, "hello"}}));
}

// And another one has the name by then.
TEST_P(RenamedOutputs, TheOldFileIsReplacedMeanwhile) {
  server_.files[kName] = "old";
  bool is_first = true;
  server_.before_rename = [&](const std::string& from, const std::string&) {
    if (from != kName || !std::exchange(is_first, false)) return;
    server_.files[kName] = "of another";
    throw FileError(from, "no such file");
  };
  const auto output = sent_output();
  output->publish(true);
  EXPECT_EQ(output->undo(), "");
  EXPECT_EQ(server_.files, (Contents{{kName, "of another"}}));
}

TEST_P(RenamedOutputs, FaultsChangeNothing) {
  server_.files[kName] = "old";
  server_.before_rename = [](const std::string& from, const std::string& to) {
    if (to == kName && from.ends_with(".part")) throw FileError(from, "no more names");
  };
  {
    const auto output = sent_output();
    EXPECT_THROW(output->publish(true), FileError);
    EXPECT_EQ(output->undo(), "");
  }
  EXPECT_EQ(server_.files, (Contents{{kName, "old"}}));
}

TEST_P(RenamedOutputs, TellWhereTheOldFileIs) {
  server_.files[kName] = "old";
  server_.before_rename = [](const std::string& from, const std::string& to) {
    if (to == kName) throw FileError(from, "no more names");
  };
  std::string lost;
  {
    const auto output = sent_output();
    EXPECT_THROW(output->publish(true), FileError);
    lost = output->undo();
  }
  ASSERT_EQ(server_.files.size(), 1u);
  EXPECT_EQ(lost, "what " + std::string(kName) + " was before is in " + server_.files.begin()->first);
}

}  // namespace
}  // namespace skimline::io
