// For tests of what ThreadSanitizer cannot run: a new thread in the child of a process that had several.
//
//   if (kThreadSanitizer) GTEST_SKIP() << "not under ThreadSanitizer";
#pragma once

namespace headrace::testing {

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif
#else
constexpr bool kThreadSanitizer = false;
#endif

}  // namespace headrace::testing
