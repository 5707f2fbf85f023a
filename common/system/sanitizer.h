// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Which sanitizer this is built with. g++ says it by a macro, clang++ by a feature.
#pragma once

namespace futex_bench {

#if defined(__has_feature)
#define FUTEX_BENCH_HAS_FEATURE(feature) __has_feature(feature)
#else
#define FUTEX_BENCH_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || FUTEX_BENCH_HAS_FEATURE(address_sanitizer)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__) || FUTEX_BENCH_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

#undef FUTEX_BENCH_HAS_FEATURE

}  // namespace futex_bench
