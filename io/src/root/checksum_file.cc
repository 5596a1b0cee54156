// SPDX-License-Identifier: BSD-3-Clause
#include "root/checksum_file.h"

#include "storage/xxh3.h"

#include "skimline/framework/error.h"
#include "skimline/framework/runner.h"
#include "skimline/io/format_error.h"
#include "skimline/io/input_file.h"
#include "skimline/io/output_file.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>

namespace skimline::io {
namespace {

namespace fs = std::filesystem;
using Record = ChecksumFile::Record;

constexpr std::string_view kFirstLine = "skimline checksums 1\n";
// No record of a ROOT file is shorter than that on average, and no line is longer.
constexpr std::uint64_t kBytesPerRecord = 16;
constexpr std::uint64_t kLongestLine = 64;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

std::string hexadecimal(std::uint64_t number) {
  char text[17] = {};
  const auto [end, error] = std::to_chars(text, text + 16, number, 16);
  return std::string(16 - static_cast<std::size_t>(end - text), '0') + text;
}

// Each number and word is followed by one blank or the end of the line, so that a text is written in one way.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}

  bool is_at_end() const { return text_.empty(); }
  std::size_t remaining() const { return text_.size(); }

  void expect(std::string_view words) {
    if (!text_.starts_with(words)) throw FormatError("\"" + printable(words) + "\" is expected");
    text_.remove_prefix(words.size());
  }

  std::string_view word(char end) {
    const std::size_t size = text_.substr(0, kLongestLine).find(end);
    if (size == std::string_view::npos) throw FormatError("a line is too long or ends too early");
    const std::string_view word = text_.substr(0, size);
    text_.remove_prefix(size + 1);
    return word;
  }

  std::uint64_t number(char end, int base = 10) {
    const std::string_view digits = word(end);
    std::uint64_t number = 0;
    const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
    if (error != std::errc() || last != digits.data() + digits.size())
      throw FormatError("a number is expected");
    return number;
  }

 private:
  static std::string printable(std::string_view words) {
    return std::string(words.substr(0, words.find('\n')));
  }

  std::string_view text_;
};

std::string text_of(const RootFile& file, const std::vector<Record>& records) {
  std::string text(kFirstLine);
  text += "file " + std::to_string(file.input().size()) + " " + file.uuid() + "\n";
  for (const Record& record : records)
    text += std::to_string(record.offset) + " " + std::to_string(record.size) + " " +
            hexadecimal(record.hash) + "\n";
  return text + "end " + hexadecimal(xxh3_64(std::as_bytes(std::span(text)))) + "\n";
}

std::vector<Record> parse(std::string_view text, const RootFile& file, const std::string& path) {
  constexpr std::size_t kLastLine = 4 + 16 + 1;
  LineReader reader(text);
  reader.expect(kFirstLine);
  if (text.size() < kFirstLine.size() + kLastLine) throw FormatError("ends too early");
  const std::string_view body = text.substr(0, text.size() - kLastLine);
  LineReader last(text.substr(body.size()));
  last.expect("end ");
  if (last.number('\n', 16) != xxh3_64(std::as_bytes(std::span(body))))
    throw FormatError("its own checksum is wrong");
  reader.expect("file ");
  const std::uint64_t size = reader.number(' ');
  const std::string_view uuid = reader.word('\n');
  if (size != file.input().size() || uuid != file.uuid())
    throw FileError(path,
                    "has the checksums of another file: of " + std::to_string(size) +
                        " bytes with another state or UUID than " + file.path() + " of " +
                        std::to_string(file.input().size()) +
                        " bytes; remove it if that file was changed on purpose",
                    FileFault::kUnavailable);
  std::vector<Record> records;
  while (reader.remaining() > kLastLine) {
    Record record;
    record.offset = reader.number(' ');
    record.size = reader.number(' ');
    record.hash = reader.number('\n', 16);
    if (record.offset > size || record.size > size - record.offset ||
        (!records.empty() && record.offset <= records.back().offset))
      throw FormatError("lists a record that the file cannot have");
    records.push_back(record);
  }
  if (reader.remaining() != kLastLine) throw FormatError("a line is too long or ends too early");
  return records;
}

std::string read_text(const std::string& path, std::uint64_t file_size) {
  const InputFile input(path);
  const std::uint64_t most = std::min((file_size / kBytesPerRecord + 4) * kLongestLine, kMostBytes);
  if (input.size() > most) throw FileError(path, "is larger than checksums can be", FileFault::kUnavailable);
  std::string text(static_cast<std::size_t>(input.size()), '\0');
  input.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

bool exists(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  return fs::exists(status);
}

// Each place once; of places that begin together the longer one counts.
std::vector<Record> hashed(const RootFile& file, std::vector<ByteExtent> places, StopFlag stop) {
  std::sort(places.begin(), places.end(), [](const ByteExtent& left, const ByteExtent& right) {
    return left.offset != right.offset ? left.offset < right.offset : left.size > right.size;
  });
  const auto same_place = [](const ByteExtent& left, const ByteExtent& right) {
    return left.offset == right.offset;
  };
  places.erase(std::unique(places.begin(), places.end(), same_place), places.end());
  std::vector<Record> records;
  std::vector<std::byte> bytes;
  for (const ByteExtent& place : places) {
    stop.throw_if_set();
    bytes.resize(static_cast<std::size_t>(place.size));
    file.input().read(place.offset, bytes);
    records.push_back({place.offset, place.size, xxh3_64(bytes)});
  }
  return records;
}

}  // namespace

std::string ChecksumFile::path_for(const std::string& path, const std::string& folder) {
  const std::string name = path + ".checksums";
  return folder.empty() ? name : (fs::path(folder) / fs::path(name).filename()).string();
}

std::shared_ptr<const ChecksumFile> ChecksumFile::find(const RootFile& file, const std::string& folder) {
  // Beside a remote file it would take a request for each to find that there is none.
  if (file.input().is_remote() && folder.empty()) return nullptr;
  const std::string path = path_for(file.path(), folder);
  if (!exists(path)) return nullptr;
  const std::string text = read_text(path, file.input().size());
  std::shared_ptr<const ChecksumFile> checksums;
  try {
    checksums.reset(new ChecksumFile(path, parse(text, file, path)));
  } catch (const FormatError& error) {
    throw FileError(path, std::string("is no sound file of checksums: ") + error.what(),
                    FileFault::kUnavailable);
  }
  std::vector<std::byte> bytes;
  for (const ByteExtent& extent : file.structure()) {
    bytes.resize(static_cast<std::size_t>(extent.size));
    file.input().read(extent.offset, bytes);
    try {
      checksums->verify(extent.offset, bytes);
    } catch (const FormatError& error) {
      throw FileError(file.path(),
                      "header or directory at byte " + std::to_string(extent.offset) + ": " + error.what());
    }
  }
  return checksums;
}

void ChecksumFile::verify(std::uint64_t offset, std::span<const std::byte> stored) const {
  const auto found =
      std::lower_bound(records_.begin(), records_.end(), offset,
                       [](const Record& record, std::uint64_t wanted) { return record.offset < wanted; });
  if (found == records_.end() || found->offset != offset || found->size != stored.size())
    throw FormatError("is not what " + path_ + " lists");
  if (found->hash != xxh3_64(stored)) throw FormatError("checksum is wrong, by " + path_);
}

std::size_t ChecksumFile::write(const RootFile& file, std::vector<ByteExtent> places,
                                const std::string& folder, StopFlag stop) {
  if (file.input().is_remote() && folder.empty())
    throw FileError(file.path(), "is remote: checksums of it need a folder, by --checksums",
                    FileFault::kUnwritable);
  const std::string path = path_for(file.path(), folder);
  const std::vector<Record> records = hashed(file, std::move(places), stop);
  const std::string text = text_of(file, records);
  if (exists(path)) {
    if (read_text(path, file.input().size()) == text) return records.size();
    throw FileError(path, "exists already and has other content: remove it first", FileFault::kUnwritable);
  }
  file.input().check_unchanged();
  OutputFile output(path);
  output.write(0, std::as_bytes(std::span(text)));
  output.commit(text.size());
  return records.size();
}

}  // namespace skimline::io
