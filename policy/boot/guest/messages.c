/* messages: groups of threads that send each other short messages over pipes. In a
   group every sender writes to every receiver; a message costs a unit of work. */

#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SIDE 4   /* the senders of a group, and the receivers */
#define LENGTH 64

static int groups;
static long rounds; /* messages from each sender to each receiver */
static int (*pipes)[2];

/* The pipe of receiver [r] of group [g]. */
static int *pipe_of(int g, int r) { return pipes[g * SIDE + r]; }

static void failed(void)
{
  perror("work: messages");
  exit(3);
}

static void send_all(int g)
{
  char text[LENGTH] = { 0 };
  for (long n = 0; n < rounds; n++)
    for (int r = 0; r < SIDE; r++)
      if (write(pipe_of(g, r)[1], text, LENGTH) != LENGTH) failed();
}

static void receive_all(int g, int r)
{
  char text[LENGTH];
  for (long n = 0; n < rounds * SIDE; n++) {
    for (int got = 0; got < LENGTH;) {
      ssize_t k = read(pipe_of(g, r)[0], text + got, LENGTH - got);
      if (k <= 0) failed();
      got += k;
    }
    compute(1);
  }
}

static void body(int i)
{
  int g = i / (2 * SIDE), k = i % (2 * SIDE);
  if (k < SIDE) send_all(g);
  else receive_all(g, k - SIDE);
}

void messages(const struct how *how)
{
  groups = how->cpus;
  pipes = calloc(groups * SIDE, sizeof *pipes);
  for (int i = 0; i < groups * SIDE; i++)
    if (pipe(pipes[i]) != 0) failed();
  /* A message takes the receiver about a unit of work, and half a unit of system
     calls. */
  rounds = how->units * 2 / 3 / (groups * SIDE * SIDE);
  if (rounds < 1) rounds = 1;
  struct crew crew;
  run_crew(&crew, groups * 2 * SIDE, body);
  struct told told = of_crew("messages", rounds * groups * SIDE * SIDE, &crew);
  told.least = told.most = -1; /* senders have less to do than receivers */
  tell(&told);
}
