// SPDX-License-Identifier: BSD-3-Clause
// The plug-in that reads and writes files by XrdCl, the client of XRootD.
#include "remote/xrootd_interface.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <XrdCl/XrdClDefaultEnv.hh>
#include <XrdCl/XrdClFile.hh>
#include <XrdCl/XrdClFileSystem.hh>
#include <XrdCl/XrdClXRootDResponses.hh>

namespace {

using XrdCl::XRootDStatus;

// More is no vector read, as servers have limits; the protocol's is 2 MiB and 1024 of them.
constexpr std::uint64_t kLongestChunk = 512 * 1024;
constexpr std::size_t kMostChunks = 1000;
constexpr std::uint64_t kBytesOfVector = 4 * 1024 * 1024;
constexpr std::size_t kBytesOfWrite = 4 * 1024 * 1024;
constexpr std::size_t kMostWrites = 4;  // under way at once

// The library waits for minutes where nobody answers. Variables XRD_* of the user count more.
void set_waiting_times() {
  static std::once_flag once;
  std::call_once(once, [] {
    XrdCl::Env* const environment = XrdCl::DefaultEnv::GetEnv();
    environment->PutInt("ConnectionWindow", 10);
    environment->PutInt("ConnectionRetry", 1);
    environment->PutInt("TimeoutResolution", 1);
    environment->PutInt("StreamErrorWindow", 0);
  });
}

bool may_pass(const XRootDStatus& status) {
  switch (status.code) {
    case XrdCl::errErrorResponse:
      return status.errNo == kXR_Overloaded || status.errNo == kXR_ServerError ||
             status.errNo == kXR_noserver || status.errNo == kXR_IOError || status.errNo == kXR_FileNotOpen;
    case XrdCl::errNotFound:
    case XrdCl::errAuthFailed:
    case XrdCl::errInvalidAddr:
    case XrdCl::errInvalidArgs:
    case XrdCl::errLoginFailed:
    case XrdCl::errNotSupported:
    case XrdCl::errTlsError:
      return false;
    default:
      return true;
  }
}

void note(const XRootDStatus& status, SkimlineXrootdFault& fault) {
  fault.is_fault = 1;
  fault.is_transient = may_pass(status) ? 1 : 0;
  fault.is_missing = status.code == XrdCl::errErrorResponse && status.errNo == kXR_NotFound ? 1 : 0;
  std::string text = status.GetErrorMessage();
  if (text.empty()) text = status.ToStr();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (status.code == XrdCl::errAuthFailed || status.code == XrdCl::errLoginFailed)
    text = "the server asks who you are: " + text +
           "; X509_USER_PROXY, BEARER_TOKEN or BEARER_TOKEN_FILE say so";
  std::snprintf(fault.text, sizeof fault.text, "%s", text.c_str());
}

int say(SkimlineXrootdFault& fault, const char* text) {
  fault.is_fault = 1;
  std::snprintf(fault.text, sizeof fault.text, "%s", text);
  return 0;
}

// One request: what it fills is its own, as the library may go on filling it after who wanted it has gone.
class Request : public XrdCl::ResponseHandler {
 public:
  explicit Request(std::shared_ptr<void> kept) : kept_(std::move(kept)) {}

  void HandleResponse(XRootDStatus* status, XrdCl::AnyObject* response) override {
    const std::unique_ptr<XRootDStatus> own_status(status);
    std::shared_ptr<Request> self;  // goes last
    const std::lock_guard lock(mutex_);
    status_ = *status;
    response_.reset(response);
    is_done_ = true;
    self = std::move(self_);
    // A file that is open is closed with a request, for which this thread cannot wait: it stays open.
    if (is_abandoned_) new std::shared_ptr<void>(std::move(kept_));
    changed_.notify_all();
  }

  // Sends it, and stays alive until the answer comes.
  static void start(const std::shared_ptr<Request>& request,
                    const std::function<XRootDStatus(XrdCl::ResponseHandler*)>& send) {
    request->self_ = request;
    const XRootDStatus status = send(request.get());
    if (status.IsOK()) return;
    const std::lock_guard lock(request->mutex_);
    request->status_ = status;
    request->is_done_ = true;
    request->self_.reset();
  }

  // Returns whether the answer is there and no fault.
  bool wait(const SkimlineXrootdWait& wait, SkimlineXrootdFault& fault) {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::milliseconds(100), [&] { return is_done_; })) {
      if (!wait.is_stopped(wait.context)) continue;
      fault.is_fault = fault.is_stopped = 1;
      is_abandoned_ = true;
      return false;
    }
    if (!status_.IsOK()) note(status_, fault);
    return status_.IsOK();
  }

  XrdCl::AnyObject* response() { return response_.get(); }
  // Whether some of the servers that were asked have not answered.
  bool is_partial() const { return status_.IsOK() && status_.code == XrdCl::suPartial; }
  // Whether the server does not know what it was asked to do.
  bool is_unknown() const {
    return status_.code == XrdCl::errErrorResponse &&
           (status_.errNo == kXR_Unsupported || status_.errNo == kXR_InvalidRequest);
  }

  std::vector<char> bytes;
  XrdCl::ChunkList chunks;
  std::vector<std::size_t> ranges;  // that it is for

 private:
  std::shared_ptr<void> kept_;
  std::shared_ptr<Request> self_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_done_ = false, is_abandoned_ = false;
  XRootDStatus status_;
  std::unique_ptr<XrdCl::AnyObject> response_;
};

using File = std::shared_ptr<XrdCl::File>;

std::uint16_t seconds_of(const SkimlineXrootdWait& wait) {
  return static_cast<std::uint16_t>(std::clamp(wait.seconds, 1, 3600));
}

void say_state(const XrdCl::StatInfo& info, std::uint64_t* size, std::uint64_t* modified) {
  *size = info.GetSize();
  *modified = info.GetModTime();
}

// Asks for the state of an open file.
std::shared_ptr<Request> start_asking(const File& file, const SkimlineXrootdWait& wait) {
  auto asking = std::make_shared<Request>(file);
  Request::start(
      asking, [&](XrdCl::ResponseHandler* handler) { return file->Stat(true, handler, seconds_of(wait)); });
  return asking;
}

bool take_state(Request& asking, const SkimlineXrootdWait& wait, std::uint64_t* size, std::uint64_t* modified,
                SkimlineXrootdFault& fault) {
  if (!asking.wait(wait, fault)) return false;
  XrdCl::StatInfo* info = nullptr;
  asking.response()->Get(info);
  say_state(*info, size, modified);
  return true;
}

void* open_file(const char* url, const SkimlineXrootdWait* wait, std::uint64_t* size, std::uint64_t* modified,
                SkimlineXrootdFault* fault) {
  set_waiting_times();
  const auto file = std::make_shared<XrdCl::File>(false);
  const auto opening = std::make_shared<Request>(file);
  const std::string name = url;
  Request::start(opening, [&](XrdCl::ResponseHandler* handler) {
    return file->Open(name, XrdCl::OpenFlags::Read, XrdCl::Access::None, handler, seconds_of(*wait));
  });
  if (!opening->wait(*wait, *fault)) return nullptr;
  if (!take_state(*start_asking(file, *wait), *wait, size, modified, *fault)) return nullptr;
  return new File(file);
}

// Long ranges one each, short ones many together.
std::vector<std::shared_ptr<Request>> requests_for(const File& file, const SkimlineXrootdRange* ranges,
                                                   std::size_t count) {
  std::vector<std::shared_ptr<Request>> requests;
  std::shared_ptr<Request> vector;
  std::uint64_t bytes_of_vector = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_long = ranges[i].size > kLongestChunk;
    const bool is_full =
        vector && (vector->ranges.size() >= kMostChunks || bytes_of_vector + ranges[i].size > kBytesOfVector);
    std::shared_ptr<Request> request = is_long || is_full ? nullptr : vector;
    if (!request) {
      request = std::make_shared<Request>(file);
      requests.push_back(request);
      if (!is_long) {
        vector = request;
        bytes_of_vector = 0;
      }
    }
    if (!is_long) bytes_of_vector += ranges[i].size;
    request->ranges.push_back(i);
  }
  return requests;
}

void start_reading(const File& file, const std::shared_ptr<Request>& request,
                   const SkimlineXrootdRange* ranges, const SkimlineXrootdWait& wait) {
  std::uint64_t size = 0;
  for (const std::size_t i : request->ranges) size += ranges[i].size;
  request->bytes.resize(size);
  char* bytes = request->bytes.data();
  for (const std::size_t i : request->ranges) {
    request->chunks.emplace_back(ranges[i].offset, static_cast<std::uint32_t>(ranges[i].size), bytes);
    bytes += ranges[i].size;
  }
  Request::start(request, [&](XrdCl::ResponseHandler* handler) {
    const XrdCl::ChunkInfo& first = request->chunks.front();
    return request->chunks.size() == 1
               ? file->Read(first.offset, first.length, first.buffer, handler, seconds_of(wait))
               : file->VectorRead(request->chunks, nullptr, handler, seconds_of(wait));
  });
}

// Whether as many bytes came as were asked for.
bool is_complete(Request& request) {
  if (request.chunks.size() == 1) {
    XrdCl::ChunkInfo* info = nullptr;
    request.response()->Get(info);
    return info != nullptr && info->length == request.bytes.size();
  }
  XrdCl::VectorReadInfo* info = nullptr;
  request.response()->Get(info);
  return info != nullptr && info->GetSize() == request.bytes.size();
}

void hand_over(const Request& request, const SkimlineXrootdRange* ranges) {
  const char* bytes = request.bytes.data();
  for (const std::size_t i : request.ranges) {
    std::memcpy(ranges[i].bytes, bytes, ranges[i].size);
    bytes += ranges[i].size;
  }
}

std::uint64_t read_file(void* handle, const SkimlineXrootdRange* ranges, std::size_t count,
                        const SkimlineXrootdWait* wait, std::uint64_t* size, std::uint64_t* modified,
                        SkimlineXrootdFault* fault) {
  const File& file = *static_cast<File*>(handle);
  const std::vector<std::shared_ptr<Request>> requests = requests_for(file, ranges, count);
  for (const std::shared_ptr<Request>& request : requests) start_reading(file, request, ranges, *wait);
  const std::shared_ptr<Request> asking = start_asking(file, *wait);
  for (const std::shared_ptr<Request>& request : requests) {
    if (!request->wait(*wait, *fault)) return requests.size();
    if (!is_complete(*request)) {
      fault->is_fault = 1;
      std::snprintf(fault->text, sizeof fault->text, "fewer bytes came than were asked for");
      return requests.size();
    }
    hand_over(*request, ranges);
  }
  take_state(*asking, *wait, size, modified, *fault);
  return requests.size() + 1;
}

// What is still under way keeps the file open.
void close_file(void* handle) { delete static_cast<File*>(handle); }

int stat_file(const char* url, const SkimlineXrootdWait* wait, std::uint64_t* size, std::uint64_t* modified,
              SkimlineXrootdFault* fault) {
  set_waiting_times();
  const XrdCl::URL parts{std::string(url)};
  const auto system = std::make_shared<XrdCl::FileSystem>(parts);
  const auto request = std::make_shared<Request>(system);
  Request::start(request, [&](XrdCl::ResponseHandler* handler) {
    return system->Stat(parts.GetPathWithParams(), handler, seconds_of(*wait));
  });
  if (!request->wait(*wait, *fault)) return 0;
  XrdCl::StatInfo* info = nullptr;
  request->response()->Get(info);
  say_state(*info, size, modified);
  return 1;
}

using System = std::shared_ptr<XrdCl::FileSystem>;

// Asks a server, and waits for the answer.
std::shared_ptr<Request> answer_of(
    const System& system, const SkimlineXrootdWait& wait, SkimlineXrootdFault& fault,
    const std::function<XRootDStatus(XrdCl::FileSystem&, XrdCl::ResponseHandler*)>& send) {
  auto request = std::make_shared<Request>(system);
  Request::start(request, [&](XrdCl::ResponseHandler* handler) { return send(*system, handler); });
  request->wait(wait, fault);
  return request;
}

// Entries by their names, as some files are on several servers.
using Entries = std::map<std::string, int>;

bool add_entries(const XrdCl::URL& folder, const SkimlineXrootdWait& wait, SkimlineXrootdFault& fault,
                 Entries& entries) {
  const auto system = std::make_shared<XrdCl::FileSystem>(folder);
  const auto request =
      answer_of(system, wait, fault, [&](XrdCl::FileSystem& server, XrdCl::ResponseHandler* handler) {
        return server.DirList(folder.GetPathWithParams(), XrdCl::DirListFlags::Stat, handler,
                              seconds_of(wait));
      });
  if (fault.is_fault) return false;
  XrdCl::DirectoryList* list = nullptr;
  request->response()->Get(list);
  if (list == nullptr || request->is_partial()) return say(fault, "the server lists it in part only") != 0;
  for (auto entry = list->Begin(); entry != list->End(); ++entry) {
    const XrdCl::StatInfo* const info = (*entry)->GetStatInfo();
    entries.emplace((*entry)->GetName(), info != nullptr && info->TestFlags(XrdCl::StatInfo::IsDir) ? 1 : 0);
  }
  return true;
}

// What a server says of itself. The library gives these numbers as they come, the version among them, which
// is small.
std::uint32_t flags_of(const XrdCl::ProtocolInfo& info) {
  constexpr std::uint32_t kLargestVersion = 0xFFFF;
  return info.GetVersion() <= kLargestVersion ? info.GetHostInfo() : __builtin_bswap32(info.GetHostInfo());
}

// Whether a server only knows which others have what. What it has itself is nothing that they offer.
bool is_manager(const System& system, const SkimlineXrootdWait& wait, SkimlineXrootdFault& fault) {
  const auto request =
      answer_of(system, wait, fault, [&](XrdCl::FileSystem& server, XrdCl::ResponseHandler* handler) {
        return server.Protocol(handler, seconds_of(wait));
      });
  XrdCl::ProtocolInfo* info = nullptr;
  if (!fault.is_fault) request->response()->Get(info);
  return info != nullptr && (flags_of(*info) & kXR_isManager) != 0;
}

// The same folder on all servers that may have it; none after a fault. Servers that know of no others have it
// themselves.
std::vector<XrdCl::URL> places_of(const XrdCl::URL& folder, const SkimlineXrootdWait& wait,
                                  SkimlineXrootdFault& fault) {
  const auto system = std::make_shared<XrdCl::FileSystem>(folder);
  const bool has_others = is_manager(system, wait, fault);
  if (fault.is_fault) return {};
  if (!has_others) return {folder};
  const auto request =
      answer_of(system, wait, fault, [&](XrdCl::FileSystem& server, XrdCl::ResponseHandler* handler) {
        return server.DeepLocate("*" + folder.GetPathWithParams(), XrdCl::OpenFlags::PrefName, handler,
                                 seconds_of(wait));
      });
  if (request->is_unknown()) fault = {};
  if (request->is_unknown()) return {folder};
  if (fault.is_fault) return {};
  XrdCl::LocationInfo* locations = nullptr;
  request->response()->Get(locations);
  if (locations == nullptr || request->is_partial()) {
    say(fault, "not all servers that may have it answer");
    return {};
  }
  std::vector<XrdCl::URL> places;
  for (auto location = locations->Begin(); location != locations->End(); ++location) {
    const XrdCl::URL address(location->GetAddress());
    places.push_back(folder);
    places.back().SetHostPort(address.GetHostName(), address.GetPort());
  }
  if (places.empty()) say(fault, "no server has it");
  return places;
}

int list_folder(const char* url, const SkimlineXrootdWait* wait,
                void (*take)(void* context, const char* name, int is_folder), void* context,
                SkimlineXrootdFault* fault) {
  set_waiting_times();
  Entries entries;
  const std::vector<XrdCl::URL> places = places_of(XrdCl::URL{std::string(url)}, *wait, *fault);
  std::size_t num_without = 0;
  for (const XrdCl::URL& place : places) {
    SkimlineXrootdFault here{};
    if (add_entries(place, *wait, here, entries)) continue;
    *fault = here;
    if (here.is_missing == 0) return 0;
    ++num_without;
  }
  if (num_without == places.size()) return 0;
  for (const auto& [name, is_folder] : entries) take(context, name.c_str(), is_folder);
  return 1;
}

// A local file that is sent.
class SentFile {
 public:
  explicit SentFile(const char* path) : file_(std::fopen(path, "rb")) {}
  ~SentFile() {
    if (file_ != nullptr) std::fclose(file_);
  }
  SentFile(const SentFile&) = delete;
  SentFile& operator=(const SentFile&) = delete;

  bool is_good() const { return file_ != nullptr && std::ferror(file_) == 0; }

  // Returns what comes next; nothing at its end.
  std::vector<char> next() {
    std::vector<char> bytes(kBytesOfWrite);
    bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file_));
    return bytes;
  }

 private:
  std::FILE* file_;
};

// Several pieces are under way, as each takes a round trip.
bool write_all(const File& file, SentFile& sent, const SkimlineXrootdWait& wait, SkimlineXrootdFault& fault) {
  std::deque<std::shared_ptr<Request>> running;
  for (std::uint64_t offset = 0;;) {
    const auto request = std::make_shared<Request>(file);
    request->bytes = sent.next();
    if (request->bytes.empty() || running.size() == kMostWrites) {
      for (; running.size() > (request->bytes.empty() ? 0 : kMostWrites - 1); running.pop_front())
        if (!running.front()->wait(wait, fault)) return false;
    }
    if (request->bytes.empty()) return true;
    Request::start(request, [&](XrdCl::ResponseHandler* handler) {
      return file->Write(offset, static_cast<std::uint32_t>(request->bytes.size()), request->bytes.data(),
                         handler, seconds_of(wait));
    });
    offset += request->bytes.size();
    running.push_back(request);
  }
}

int send_file(const char* url, const char* path, const SkimlineXrootdWait* wait, SkimlineXrootdFault* fault) {
  set_waiting_times();
  SentFile sent(path);
  if (!sent.is_good()) return say(*fault, "the local file cannot be read");
  const auto file = std::make_shared<XrdCl::File>(false);
  const auto ask = [&](const std::function<XRootDStatus(XrdCl::ResponseHandler*)>& send) {
    const auto request = std::make_shared<Request>(file);
    Request::start(request, send);
    return request->wait(*wait, *fault);
  };
  const std::string name = url;
  const std::uint16_t seconds = seconds_of(*wait);
  const auto access = XrdCl::Access::UR | XrdCl::Access::UW | XrdCl::Access::GR | XrdCl::Access::OR;
  const bool is_open = ask([&](XrdCl::ResponseHandler* handler) {
    return file->Open(name, XrdCl::OpenFlags::Delete | XrdCl::OpenFlags::Update, access, handler, seconds);
  });
  if (!is_open || !write_all(file, sent, *wait, *fault)) return 0;
  if (!sent.is_good()) return say(*fault, "the local file cannot be read");
  // What becomes of a file may be said only when it is closed.
  return ask([&](XrdCl::ResponseHandler* handler) { return file->Sync(handler, seconds); }) &&
                 ask([&](XrdCl::ResponseHandler* handler) { return file->Close(handler, seconds); })
             ? 1
             : 0;
}

int ask_for_checksum(const char* url, const SkimlineXrootdWait* wait, char* text, std::size_t size,
                     SkimlineXrootdFault* fault) {
  const XrdCl::URL parts{std::string(url)};
  const auto system = std::make_shared<XrdCl::FileSystem>(parts);
  const auto request = std::make_shared<Request>(system);
  XrdCl::Buffer path;
  path.FromString(parts.GetPathWithParams());
  Request::start(request, [&](XrdCl::ResponseHandler* handler) {
    return system->Query(XrdCl::QueryCode::Checksum, path, handler, seconds_of(*wait));
  });
  if (!request->wait(*wait, *fault)) return 0;
  XrdCl::Buffer* answer = nullptr;
  request->response()->Get(answer);
  if (answer == nullptr) return say(*fault, "the server sends no checksum");
  std::snprintf(text, size, "%s", answer->ToString().c_str());
  return 1;
}

int rename_file(const char* from, const char* to, const SkimlineXrootdWait* wait,
                SkimlineXrootdFault* fault) {
  const XrdCl::URL parts{std::string(from)}, others{std::string(to)};
  const auto system = std::make_shared<XrdCl::FileSystem>(parts);
  const auto request = std::make_shared<Request>(system);
  Request::start(request, [&](XrdCl::ResponseHandler* handler) {
    return system->Mv(parts.GetPathWithParams(), others.GetPathWithParams(), handler, seconds_of(*wait));
  });
  return request->wait(*wait, *fault) ? 1 : 0;
}

int remove_file(const char* url, const SkimlineXrootdWait* wait, SkimlineXrootdFault* fault) {
  const XrdCl::URL parts{std::string(url)};
  const auto system = std::make_shared<XrdCl::FileSystem>(parts);
  const auto request = std::make_shared<Request>(system);
  Request::start(request, [&](XrdCl::ResponseHandler* handler) {
    return system->Rm(parts.GetPathWithParams(), handler, seconds_of(*wait));
  });
  return request->wait(*wait, *fault) ? 1 : 0;
}

constexpr SkimlineXrootdFunctions kFunctions{
    kSkimlineXrootdVersion, open_file,   read_file,  close_file, stat_file, list_folder, send_file,
    ask_for_checksum,       rename_file, remove_file};

}  // namespace

extern "C" __attribute__((visibility("default"))) const SkimlineXrootdFunctions* SKIMLINE_XROOTD_ENTRY() {
  return &kFunctions;
}
