/* Two threads that wait for each other by a futex: the price of a hand-over done entirely
   by the kernel. See futex.mli. */

#include <caml/memory.h>
#include <caml/mlvalues.h>
#include <caml/signals.h>

#ifdef __linux__

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* [turn] is the thread to run: 0, the caller; 1, the other thread. */
struct game {
  _Atomic uint32_t turn;
  long rounds;
  long sum; /* of the numbers handed over; added up by the other thread */
};

static void wait_for(struct game *game, uint32_t mine) {
  uint32_t seen;
  while ((seen = atomic_load(&game->turn)) != mine)
    syscall(SYS_futex, &game->turn, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void hand_over(struct game *game, uint32_t to) {
  atomic_store(&game->turn, to);
  syscall(SYS_futex, &game->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *other(void *arg) {
  struct game *game = arg;
  for (long i = 1; i <= game->rounds; i++) {
    wait_for(game, 1);
    game->sum += i;
    hand_over(game, 0);
  }
  return NULL;
}

static long play(long rounds) {
  struct game game = {.turn = 0, .rounds = rounds, .sum = 0};
  pthread_t thread;
  if (pthread_create(&thread, NULL, other, &game) != 0) return -1;
  for (long i = 1; i <= rounds; i++) {
    hand_over(&game, 1);
    wait_for(&game, 0);
  }
  pthread_join(thread, NULL);
  return game.sum;
}

value bench_futex_here(value unit) {
  (void)unit;
  return Val_true;
}

#else

static long play(long rounds) {
  (void)rounds;
  return -1;
}

value bench_futex_here(value unit) {
  (void)unit;
  return Val_false;
}

#endif

value bench_futex_ping_pong(value rounds) {
  CAMLparam1(rounds);
  long n = Long_val(rounds);
  caml_enter_blocking_section();
  long sum = play(n);
  caml_leave_blocking_section();
  CAMLreturn(Val_long(sum));
}
