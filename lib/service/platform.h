/* What Dromos takes from the system beyond POSIX, OCaml's runtime and a C compiler
   with __thread: a port to another system begins here.

   DROMOS_LINUX         epoll, pidfd, the names and numbers of threads
                        (platform_stubs.c), /proc (Platform, for OCaml code)
   DROMOS_WEAK_SYMBOLS  undefined weak symbols, a feature of ELF: how lib/fiber finds
                        out whether the runtime of package dromos-heap is linked
   DROMOS_DLADDR        dladdr, in lib/fiber/code_stubs.c

   Each has a portable half, which is compiled where the macro is 0. What is lost
   there: doc/platforms.md. Stubs that use none of this do without the header. DROMOS_PORTABLE=1 in the environment of the build has all
   macros 0, so that Linux tests the portable halves (test/portable.sh). */

#ifndef DROMOS_PLATFORM_H
#define DROMOS_PLATFORM_H

#if !DROMOS_PORTABLE && defined(__linux__)
#define DROMOS_LINUX 1
#else
#define DROMOS_LINUX 0
#endif

#if !DROMOS_PORTABLE && defined(__ELF__)
#define DROMOS_WEAK_SYMBOLS 1
#else
#define DROMOS_WEAK_SYMBOLS 0
#endif

/* In POSIX since 2024, in glibc, musl, macOS and the BSDs for long. */
#if !DROMOS_PORTABLE && !defined(_WIN32)
#define DROMOS_DLADDR 1
#else
#define DROMOS_DLADDR 0
#endif

/* Before the system's headers: what they show beyond POSIX. */
#if !DROMOS_PORTABLE
#define _GNU_SOURCE
#endif

/* {1 The runtime of package dromos-heap}

   DROMOS_HEAP_VARIANT: whether the program runs on it. DROMOS_MAY_LACK marks a
   function that one of the runtimes does not have. */

#include <caml/mlvalues.h>

#if DROMOS_WEAK_SYMBOLS
#define DROMOS_MAY_LACK __attribute__((weak))
extern value hh_task_make(value) DROMOS_MAY_LACK;
#define DROMOS_HEAP_VARIANT (hh_task_make != 0)
#else
#define DROMOS_MAY_LACK
#define DROMOS_HEAP_VARIANT 0
#endif

/* {1 Descriptors}

   Interests and answers are bits, here and in Polling. */

enum { READABLE = 1, WRITABLE = 2, CLOSED = 4 };

#endif
