/* System calls of Linux, and in the second half their substitutes for other systems.
   platform.h chooses the half. */

#include "platform.h"
#include <caml/memory.h>
#include <caml/signals.h>

value dromos_platform_linux(value unit)
{
  (void)unit;
  return Val_bool(DROMOS_LINUX);
}

/* Answers of dromos_epoll_arm, in the order of Polling.arming. */
enum { KNOWN, ADDED, ALWAYS, NOT_OPEN, UNKNOWN, NO_MEMORY, NO_SPACE, REFUSED };

#if DROMOS_LINUX

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* {1 Threads by name}

   A thread inherits its maker's name. The threads of Dromos, and the threads that the
   runtime makes for them, therefore differ by name from the program's threads. */

static __thread char before[16];

value dromos_own_threads_name(value unit)
{
  prctl(PR_GET_NAME, before);
  prctl(PR_SET_NAME, "dromos");
  return unit;
}

value dromos_own_threads_name_back(value unit)
{
  prctl(PR_SET_NAME, before);
  return unit;
}

value dromos_own_threads_is_self(value unit)
{
  char name[16] = "";
  (void)unit;
  prctl(PR_GET_NAME, name);
  return Val_bool(strcmp(name, "dromos") == 0);
}

value dromos_own_threads_self(value unit)
{
  (void)unit;
  return Val_long(syscall(SYS_gettid));
}

/* {1 epoll} */

value dromos_epoll_create(value unit)
{
  (void)unit;
  return Val_int(epoll_create1(EPOLL_CLOEXEC));
}

static int failure(void)
{
  switch (errno) {
  case EPERM: return ALWAYS; /* a regular file */
  case EBADF: return NOT_OPEN;
  case ENOENT: return UNKNOWN;
  case ENOMEM: return NO_MEMORY;
  case ENOSPC: return NO_SPACE;
  default: return REFUSED;
  }
}

/* Arms the number for one event. epoll does not know a descriptor that was closed and
   opened again (ENOENT), and another thread may add the number between the two calls
   (EEXIST): try again. */
value dromos_epoll_arm(value ep, value fd, value bits, value add)
{
  struct epoll_event e;
  int tries, n = Int_val(fd);
  intnat b = Long_val(bits);

  e.events = EPOLLONESHOT | (b & READABLE ? EPOLLIN : 0)
             | (b & WRITABLE ? EPOLLOUT : 0);
  e.data.u64 = (uint64_t)n;
  for (tries = 0; tries < 100; tries++) {
    if (epoll_ctl(Int_val(ep), EPOLL_CTL_MOD, n, &e) == 0)
      return Val_int(KNOWN);
    if (errno != ENOENT || !Bool_val(add)) return Val_int(failure());
    if (epoll_ctl(Int_val(ep), EPOLL_CTL_ADD, n, &e) == 0)
      return Val_int(ADDED);
    if (errno != EEXIST) return Val_int(failure());
  }
  return Val_int(REFUSED);
}

enum { MOST = 256 };

/* Puts the numbers of the descriptors with events into [numbers]. */
value dromos_epoll_wait(value ep, value numbers, value ms)
{
  CAMLparam1(numbers);
  struct epoll_event e[MOST];
  int i, n, fd = Int_val(ep), timeout = Int_val(ms);
  int most = Wosize_val(numbers) < MOST ? (int)Wosize_val(numbers) : MOST;

  caml_enter_blocking_section();
  n = epoll_wait(fd, e, most, timeout);
  caml_leave_blocking_section();
  for (i = 0; i < n; i++)
    Store_field(numbers, i, Val_long((intnat)e[i].data.u64));
  CAMLreturn(Val_int(n < 0 ? 0 : n));
}

value dromos_pidfd_open(value pid)
{
  return Val_long(syscall(SYS_pidfd_open, (pid_t)Long_val(pid), 0));
}

#else

/* Threads have neither names nor numbers. */

value dromos_own_threads_name(value unit) { return unit; }
value dromos_own_threads_name_back(value unit) { return unit; }
value dromos_own_threads_is_self(value unit) { (void)unit; return Val_false; }
value dromos_own_threads_self(value unit) { (void)unit; return Val_long(-1); }

/* Without an epoll descriptor the poller uses poll(2), and calls neither
   dromos_epoll_arm nor dromos_epoll_wait. Without a pidfd a thread waits for the
   child. */

value dromos_epoll_create(value unit) { (void)unit; return Val_int(-1); }

value dromos_epoll_arm(value ep, value fd, value bits, value add)
{
  (void)ep, (void)fd, (void)bits, (void)add;
  return Val_int(REFUSED);
}

value dromos_epoll_wait(value ep, value numbers, value ms)
{
  (void)ep, (void)numbers, (void)ms;
  return Val_int(0);
}

value dromos_pidfd_open(value pid) { (void)pid; return Val_long(-1); }

#endif
