/* A port of Dromos to another system begins here: Dromos needs OCaml's runtime, a C
   compiler with __thread, POSIX, and on some systems more. Three macros choose.

   DROMOS_LINUX         epoll, pidfd, the names and numbers of threads
                        (platform_stubs.c), /proc (Platform, for OCaml code)
   DROMOS_WEAK_SYMBOLS  undefined weak symbols, a feature of ELF, by which lib/fiber
                        finds the runtime of package dromos-heap
   DROMOS_DLADDR        dladdr, in lib/fiber/code_stubs.c

   A macro that is 0 chooses a portable half. doc/platforms.md lists the losses. The
   variable DROMOS_PORTABLE=1 sets all macros to 0 for a build, so that Linux tests the
   portable halves (test/portable.sh). */

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

/* POSIX has dladdr since 2024; glibc, musl, macOS and the BSDs had dladdr before. */
#if !DROMOS_PORTABLE && !defined(_WIN32)
#define DROMOS_DLADDR 1
#else
#define DROMOS_DLADDR 0
#endif

/* The system's headers, which come later, show more than POSIX. */
#if !DROMOS_PORTABLE
#define _GNU_SOURCE
#endif

/* {1 The runtime of package dromos-heap}

   DROMOS_HEAP_VARIANT is true in a program that is linked with that runtime.
   DROMOS_MAY_LACK marks a function of stock's runtime or of that runtime alone. */

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
