// SPDX-License-Identifier: BSD-3-Clause
// What the plug-in for XRootD offers, in the types of C: it is built with another library, perhaps by another
// compiler, and loaded when the first URL wants it.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// Both sides compare it.
inline constexpr int kSkimlineXrootdVersion = 3;

/// What went wrong.
struct SkimlineXrootdFault {
  int is_fault;      ///< 0: nothing
  int is_transient;  ///< it may pass
  int is_stopped;    ///< `is_stopped` of the caller said so
  int is_missing;    ///< there is no such file
  char text[1024];
};

/// Bytes wanted, and where to put them.
struct SkimlineXrootdRange {
  std::uint64_t offset;
  std::uint64_t size;
  void* bytes;
};

/// Whether to give up; asked a few times per second while the plug-in waits.
struct SkimlineXrootdWait {
  int (*is_stopped)(void* context);
  void* context;
  int seconds;  ///< without any answer
};

/// The functions; those that fail say why in `fault`.
struct SkimlineXrootdFunctions {
  int version;
  /// Returns an open file, or null; says its size and when it was modified.
  void* (*open)(const char* url, const SkimlineXrootdWait* wait, std::uint64_t* size, std::uint64_t* modified,
                SkimlineXrootdFault* fault);
  /// Fills all ranges, with as few requests as possible, all under way at once, and says the size of the file
  /// and when it was modified meanwhile. Returns the number of requests.
  std::uint64_t (*read)(void* file, const SkimlineXrootdRange* ranges, std::size_t count,
                        const SkimlineXrootdWait* wait, std::uint64_t* size, std::uint64_t* modified,
                        SkimlineXrootdFault* fault);
  void (*close)(void* file);
  /// Says the size of a file and when it was modified. Returns whether there is one.
  int (*stat)(const char* url, const SkimlineXrootdWait* wait, std::uint64_t* size, std::uint64_t* modified,
              SkimlineXrootdFault* fault);
  /// Calls `take` with each name in a folder. Returns whether there is such a folder.
  int (*list)(const char* url, const SkimlineXrootdWait* wait,
              void (*take)(void* context, const char* name, int is_folder), void* context,
              SkimlineXrootdFault* fault);
  /// Writes the local file `path` to `url`, replacing what is there. Returns whether all of it is there.
  int (*send)(const char* url, const char* path, const SkimlineXrootdWait* wait, SkimlineXrootdFault* fault);
  /// Says what the server knows as the checksum of a file: "adler32 0a1b2c3d". Returns whether it knows one.
  int (*checksum)(const char* url, const SkimlineXrootdWait* wait, char* text, std::size_t size,
                  SkimlineXrootdFault* fault);
  /// Both URLs are of one server. Returns whether that was done.
  int (*rename)(const char* from, const char* to, const SkimlineXrootdWait* wait, SkimlineXrootdFault* fault);
  int (*remove)(const char* url, const SkimlineXrootdWait* wait, SkimlineXrootdFault* fault);
};

/// The name of the one function that the plug-in exports, which returns them.
using SkimlineXrootdEntry = const SkimlineXrootdFunctions* (*)();
#define SKIMLINE_XROOTD_ENTRY skimline_xrootd_functions
}
