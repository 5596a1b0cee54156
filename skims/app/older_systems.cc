// SPDX-License-Identifier: BSD-3-Clause
// The few functions of the system whose newest versions came with glibc 2.35 and GCC 12: program and module
// call the versions before, which do the same and which RHEL 9 and its kin have too. The linker puts these in
// for them.
#include <condition_variable>
#include <mutex>

extern "C" {

double older_hypot(double, double);
float older_hypotf(float, float);
void older_wait(std::condition_variable*, std::unique_lock<std::mutex>*);

__asm__(".symver older_hypot, hypot@GLIBC_2.2.5");
__asm__(".symver older_hypotf, hypotf@GLIBC_2.2.5");
__asm__(".symver older_wait, _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): names that the linker asks for
double __wrap_hypot(double x, double y) { return older_hypot(x, y); }

float __wrap_hypotf(float x, float y) { return older_hypotf(x, y); }

void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(std::condition_variable* condition,
                                                                      std::unique_lock<std::mutex>* lock) {
  older_wait(condition, lock);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

}  // extern "C"
