/* Waiting for descriptors: epoll where there is one, and poll(2). Interests and
   answers are bits: 1 readable, 2 writable, 4 no open descriptor. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/epoll.h>
#include <sys/syscall.h>
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#endif

#include <caml/memory.h>
#include <caml/mlvalues.h>
#include <caml/signals.h>

enum { READABLE = 1, WRITABLE = 2, CLOSED = 4 };

/* Descriptors are numbers to OCaml's Unix too. */
value dromos_fd_number(value fd)
{
  return fd;
}

/* Whether operations on it do not block; if [set], they do not from now on. */
value dromos_fd_nonblocking(value fd, value set)
{
  int flags = fcntl(Int_val(fd), F_GETFL, 0);

  if (flags < 0) return Val_false;
  if (flags & O_NONBLOCK) return Val_true;
  return Val_bool(Bool_val(set)
                  && fcntl(Int_val(fd), F_SETFL, flags | O_NONBLOCK) == 0);
}

static short to_poll(intnat bits)
{
  return (bits & READABLE ? POLLIN : 0) | (bits & WRITABLE ? POLLOUT : 0);
}

/* Errors and the other side's leaving are told to whoever waits. */
static intnat of_poll(short events)
{
  if (events & POLLNVAL) return CLOSED;
  if (events & (POLLERR | POLLHUP)) return READABLE | WRITABLE;
  return (events & POLLIN ? READABLE : 0) | (events & POLLOUT ? WRITABLE : 0);
}

value dromos_poll_one(value fd, value bits)
{
  struct pollfd p = { Int_val(fd), to_poll(Long_val(bits)), 0 };
  int n;

  do
    n = poll(&p, 1, 0);
  while (n < 0 && errno == EINTR);
  return Val_long(n > 0 ? of_poll(p.revents) : 0);
}

/* [pairs]: number, bits, and so on; the bits are replaced by the answers. */
value dromos_poll_many(value pairs, value ms)
{
  CAMLparam1(pairs);
  mlsize_t i, n = Wosize_val(pairs) / 2;
  int timeout = Int_val(ms);
  struct pollfd *p = caml_stat_alloc((n + 1) * sizeof(struct pollfd));

  for (i = 0; i < n; i++) {
    p[i].fd = Int_val(Field(pairs, 2 * i));
    p[i].events = to_poll(Long_val(Field(pairs, 2 * i + 1)));
    p[i].revents = 0;
  }
  caml_enter_blocking_section();
  if (poll(p, n, timeout) < 0)
    for (i = 0; i < n; i++) p[i].revents = 0;
  caml_leave_blocking_section();
  for (i = 0; i < n; i++)
    Store_field(pairs, 2 * i + 1, Val_long(of_poll(p[i].revents)));
  caml_stat_free(p);
  CAMLreturn(Val_unit);
}

/* {1 epoll} */

enum { KNOWN, ADDED, ALWAYS, NOT_OPEN, UNKNOWN, NO_MEMORY, NO_SPACE, REFUSED };

#ifdef __linux__

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

/* For one event. A descriptor that was closed and opened anew is not known any
   more, and one may be added between our two looks. */
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

/* Numbers of the descriptors with events. */
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

value dromos_epoll_create(value unit)
{
  (void)unit;
  return Val_int(-1);
}

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

value dromos_pidfd_open(value pid)
{
  (void)pid;
  return Val_long(-1);
}

#endif

/* Until a child has ended, which stays to be waited for; false if there is none. */
value dromos_wait_for_exit(value pid)
{
  siginfo_t info;
  id_t id = (id_t)Long_val(pid);
  int r;

  caml_enter_blocking_section();
  do
    r = waitid(P_PID, id, &info, WEXITED | WNOWAIT);
  while (r < 0 && errno == EINTR);
  caml_leave_blocking_section();
  return Val_bool(r == 0);
}
