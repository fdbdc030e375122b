/* Waiting for descriptors by poll(2), and for children by waitid(2).
   platform_stubs.c has epoll and pidfd. */

#include "platform.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <caml/memory.h>
#include <caml/signals.h>

/* OCaml's Unix represents descriptors by numbers too. */
value dromos_fd_number(value fd)
{
  return fd;
}

/* True if operations on the descriptor do not block; [set] makes the descriptor
   non-blocking. */
value dromos_fd_nonblocking(value fd, value set)
{
  int flags = fcntl(Int_val(fd), F_GETFL, 0);

  if (flags < 0) return Val_false;
  if (flags & O_NONBLOCK) return Val_true;
  return Val_bool(Bool_val(set)
                  && fcntl(Int_val(fd), F_SETFL, flags | O_NONBLOCK) == 0);
}

/* A number for the descriptor's file, or -1 if the descriptor is not open. */
value dromos_fd_file(value fd)
{
  struct stat s;

  if (fstat(Int_val(fd), &s) < 0) return Val_long(-1);
  return Val_long(((uintnat)s.st_ino * 1000003 + (uintnat)s.st_dev) & Max_long);
}

static short to_poll(intnat bits)
{
  return (bits & READABLE ? POLLIN : 0) | (bits & WRITABLE ? POLLOUT : 0);
}

/* Errors and a hang-up of the other side make the descriptor readable and writable. */
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

/* [pairs] holds a number, its bits, the next number, and so on. The answers replace the
   bits. */
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

/* Waits until the child has ended, and does not reap the child; false if the process has
   no such child. */
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
