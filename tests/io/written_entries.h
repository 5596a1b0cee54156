// SPDX-License-Identifier: BSD-3-Clause
// Entries that follow from their numbers, ways to fill them in, and a folder for files.
#pragma once

#include "skimline/framework/error.h"
#include "skimline/io/parallel_writer.h"
#include "skimline/io/rntuple_metadata.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace skimline::io::testing {

using Fields = std::vector<OutputField>;

inline const Fields& sample_fields() {
  static const Fields fields{
      {"id", FieldType::of<std::uint64_t>()},
      {"hits", FieldType::vector(FieldType::of<float>())},
      {"Muon", FieldType::vector(FieldType::record(
                   {{"pt", FieldType::of<float>()}, {"tags", FieldType::vector(FieldType::string())}}))},
      {"good", FieldType::of<bool>()}};
  return fields;
}

inline ParallelWriterOptions small_pages(const std::string& compression = "zstd:1") {
  ParallelWriterOptions options;
  options.settings.compression = parse_writer_compression(compression);
  options.settings.cluster_bytes = 20'000;
  options.settings.page_bytes = 1024;
  return options;
}

// Numbers that follow from the entry.
inline std::uint64_t scrambled(std::uint64_t entry) { return (entry + 1) * 0x9E3779B97F4A7C15u >> 32; }
inline std::uint32_t num_hits(std::uint64_t entry) {
  return static_cast<std::uint32_t>(scrambled(entry) % 6);
}
inline std::uint32_t num_muons(std::uint64_t entry) {
  return static_cast<std::uint32_t>(scrambled(entry) % 3);
}
inline float value_of(std::uint64_t entry, std::uint64_t number) {
  return static_cast<float>(scrambled(entry) % 1000 + number);
}

inline void write_rows(FillContext& context, std::uint64_t first, std::uint64_t count) {
  auto& id = context.values<std::uint64_t>("id");
  auto& hit_list = context.list("hits");
  auto& hits = context.values<float>("hits");
  auto& muons = context.list("Muon");
  auto& pt = context.values<float>("Muon.pt");
  auto& tag_list = context.list("Muon.tags");
  StringFiller tags = context.strings("Muon.tags");
  auto& good = context.values<bool>("good");
  for (std::uint64_t entry = first; entry < first + count; ++entry) {
    id.push(entry);
    hit_list.push(num_hits(entry));
    for (std::uint64_t i = 0; i < num_hits(entry); ++i) hits.push(value_of(entry, i));
    muons.push(num_muons(entry));
    for (std::uint64_t i = 0; i < num_muons(entry); ++i) {
      pt.push(value_of(entry, i));
      tag_list.push(i + 1);
      for (std::uint64_t k = 0; k <= i; ++k) tags.push(std::to_string(scrambled(entry + k) % 1000));
    }
    good.push(entry % 3 == 0);
    context.commit_entries();
  }
}

inline void write_spans(FillContext& context, std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> ids(count);
  std::iota(ids.begin(), ids.end(), first);
  std::vector<std::uint32_t> hit_sizes, muon_sizes, tag_sizes;
  std::vector<float> hits, pt;
  const auto good = std::make_unique<bool[]>(count);
  StringFiller tags = context.strings("Muon.tags");
  for (const std::uint64_t entry : ids) {
    hit_sizes.push_back(num_hits(entry));
    for (std::uint64_t i = 0; i < num_hits(entry); ++i) hits.push_back(value_of(entry, i));
    muon_sizes.push_back(num_muons(entry));
    for (std::uint32_t i = 0; i < num_muons(entry); ++i) {
      pt.push_back(value_of(entry, i));
      tag_sizes.push_back(i + 1);
      for (std::uint64_t k = 0; k <= i; ++k) tags.push(std::to_string(scrambled(entry + k) % 1000));
    }
    good[entry - first] = entry % 3 == 0;
  }
  context.values<bool>("good").append({good.get(), count});
  context.values<float>("Muon.pt").append(pt);
  context.list("Muon.tags").append(tag_sizes);
  context.list("Muon").append(muon_sizes);
  context.values<float>("hits").append(hits);
  context.list("hits").append(hit_sizes);
  context.values<std::uint64_t>("id").append(ids);
  context.commit_entries(count);
}

using Write = std::function<void(FillContext&, std::uint64_t first, std::uint64_t count)>;

// Rows and spans by turns, pieces of any size.
inline void write_mixed(FillContext& context, std::uint64_t first, std::uint64_t count) {
  std::mt19937_64 random(first);
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t piece = std::min<std::uint64_t>(count - done, random() % 50);
    (random() % 2 == 0 ? write_rows : write_spans)(context, first + done, piece);
    done += piece;
  }
}

inline void in_threads(unsigned num_threads, const std::function<void(unsigned)>& work) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < num_threads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline RNTupleDescriptor descriptor_of(const std::string& path, const std::string& name = "Events") {
  return read_descriptor(RootFile(path), name);
}

// The message of the Error that `action` must throw.
template <typename Fault = Error, typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Fault& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\nwithout: " << part;
}

class WriterTest : public ::testing::Test {
 protected:
  WriterTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("skimline_writer_" + std::string(test->name()) + "_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~WriterTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "out.root") const { return (folder_ / name).string(); }

  std::size_t num_files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }

  // A writer that gets a valid entry and then what `misuse` does, which must throw; nothing may be left.
  template <typename Fault = Error, typename Misuse>
  std::string message_of_misuse(const Fields& fields, Misuse misuse) {
    std::string message;
    {
      ParallelWriter writer(path(), fields, small_pages());
      const auto context = writer.make_context();
      message = message_of<Fault>([&] { misuse(*context); });
      EXPECT_THROW(context->commit_entries(), Error);
      EXPECT_THROW(context->close(), Error);
      EXPECT_THROW(writer.finish(), Error);
    }
    EXPECT_EQ(num_files(), 0u) << message;
    return message;
  }

  std::filesystem::path folder_;
};

}  // namespace skimline::io::testing
