/* loader FILE.bpf.o: makes the kernel schedule by a policy until the loader is told to
   end (SIGTERM), or the kernel removes the policy. loader -n FILE.bpf.o: only verifies
   and loads the policy; prints lines only if the policy is refused.

   Lines on standard output:
     program name=NAME insns=N            instructions that the verifier looked at
     attached load_ns=N attach_ns=N name=NAME
     refused what=open|load|attach error=TEXT
     log TEXT                             the end of the verifier's log
     exit kind=N code=N
     exit_reason TEXT
     exit_message TEXT                    for each line of the message
     ops TEXT                             what the kernel's root/ops says
     restarted                            the kernel asked for a new start
   Exit status: 0 told to end, 1 removed by the kernel, 2 refused. */

#define _GNU_SOURCE
#include "loader.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOG_LINES 40

/* The content of a policy's map .data.exit. */
struct exit_info {
  int kind;
  long long code;
  char reason[128];
  char message[1024];
  /* The thread that was ready for the longest time; [pid] is 0 if there is none. */
  int pid, core;
  long long waited; /* in ns */
  char queue[32];
  char why[128]; /* why the thread was not chosen */
};

static long long clock_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* {1 Messages of libbpf} */

static char *said;
static size_t said_length;

static int keep(enum libbpf_print_level level, const char *format, va_list arguments)
{
  char *text;
  if (level > LIBBPF_WARN) return 0;
  int n = vasprintf(&text, format, arguments);
  if (n < 0) return 0;
  char *more = realloc(said, said_length + n + 1);
  if (more != NULL) {
    said = more;
    memcpy(said + said_length, text, n + 1);
    said_length += n;
  }
  free(text);
  return n;
}

static void lines(const char *prefix, const char *text)
{
  while (*text != 0) {
    int n = (int)strcspn(text, "\n");
    if (n > 0) printf("%s %.*s\n", prefix, n < 1500 ? n : 1500, text);
    text += n;
    if (*text != 0) text++;
  }
}

/* Prints the last lines only, since the reason of a refusal stands at the end. Before
   them, prints the last line of the policy at which the verifier was. */
static void tell_log(void)
{
  if (said == NULL) return;
  const char *from = said + said_length, *at = NULL;
  for (const char *p = said; (p = strstr(p, ".policy:")) != NULL; p++) at = p;
  if (at != NULL) {
    while (at > said && at[-1] != '\n') at--;
    int n = (int)strcspn(at, "\n");
    printf("log %.*s\n", n < 1500 ? n : 1500, at);
  }
  for (int n = 0; from > said; from--)
    if (from[-1] == '\n' && ++n > LOG_LINES) break;
  lines("log", from);
}

static int refused_as(const char *what, const char *error)
{
  printf("refused what=%s error=%s\n", what, error);
  tell_log();
  fflush(stdout);
  return 2;
}

/* Libbpf has error numbers of its own beside the kernel's. */
static int refused(const char *what, int error)
{
  char text[128];
  libbpf_strerror(error, text, sizeof text);
  return refused_as(what, text);
}

/* {1 The object} */

static struct bpf_map *named(struct bpf_object *object, const char *name)
{
  struct bpf_map *map;
  bpf_object__for_each_map(map, object)
    if (strcmp(bpf_map__name(map), name) == 0) return map;
  return NULL;
}

static struct bpf_map *scheduler(struct bpf_object *object)
{
  struct bpf_map *map;
  struct btf *types = bpf_object__btf(object);
  if (types == NULL ||
      btf__find_by_name_kind(types, "sched_ext_ops", BTF_KIND_STRUCT) < 0)
    return NULL;
  bpf_object__for_each_map(map, object)
    if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS) return map;
  return NULL;
}

static void tell_programs(struct bpf_object *object)
{
  struct bpf_program *program;
  bpf_object__for_each_program(program, object) {
    struct bpf_prog_info info;
    __u32 length = sizeof info;
    memset(&info, 0, sizeof info);
    int fd = bpf_program__fd(program);
    if (fd >= 0 && bpf_prog_get_info_by_fd(fd, &info, &length) == 0)
      printf("program name=%s insns=%u\n", bpf_program__name(program),
             info.verified_insns);
  }
}

/* Returns the kernel's code of the end, or 0. */
static long long tell_exit(struct bpf_object *object)
{
  struct bpf_map *map = named(object, ".data.exit");
  __u32 key = 0;
  if (map == NULL) return 0;
  size_t size = bpf_map__value_size(map);
  struct exit_info *info = calloc(1, size > sizeof *info ? size : sizeof *info);
  if (info == NULL || bpf_map__lookup_elem(map, &key, sizeof key, info, size, 0) != 0)
    return 0;
  info->reason[sizeof info->reason - 1] = info->message[sizeof info->message - 1] = 0;
  printf("exit kind=%d code=%lld\n", info->kind, info->code);
  lines("exit_reason", info->reason);
  lines("exit_message", info->message);
  if (info->pid > 0 && info->waited > 1000000000) {
    info->queue[sizeof info->queue - 1] = info->why[sizeof info->why - 1] = 0;
    printf("exit_message task %d has stood in `%s` of core %d for %.1f s: %s\n",
           info->pid, info->queue, info->core, info->waited / 1e9, info->why);
  }
  long long code = info->code;
  free(info);
  return code;
}

/* {1 Waiting} */

static int enabled(void)
{
  char text[16] = "";
  FILE *file = fopen("/sys/kernel/sched_ext/state", "r");
  if (file == NULL) return 0;
  if (fgets(text, sizeof text, file) == NULL) text[0] = 0;
  fclose(file);
  return strncmp(text, "enabled", 7) == 0;
}

/* The kernel's own word for the scheduler that it runs. */
static void tell_ops(void)
{
  char text[128] = "";
  FILE *file = fopen("/sys/kernel/sched_ext/root/ops", "r");
  if (file == NULL) return;
  if (fgets(text, sizeof text, file) != NULL) {
    text[strcspn(text, "\n")] = 0;
    printf("ops %s\n", text);
  }
  fclose(file);
}

/* Returns 1 when a signal tells the loader to end, 0 when the kernel has ended the
   scheduler. */
static int told_to_end(const sigset_t *signals)
{
  struct timespec moment = { 0, 200000000 };
  while (enabled())
    if (sigtimedwait(signals, NULL, &moment) > 0) return 1;
  return 0;
}

/* The bits of an exit's code with which the kernel asks for a new start: CPUs came or
   went (SCX_ECODE_ACT_RESTART). */
#define RESTART (1LL << 48)

/* Schedules by the object until the end. Sets [again] if the kernel asks for a new
   start. Returns the exit status. */
static int schedules(const char *file, int only_verify, const sigset_t *signals, int *again)
{
  int error;
  *again = 0;
  struct bpf_object *object = bpf_object__open_file(file, NULL);
  if (object == NULL) return refused("open", errno);
  struct bpf_map *ops = scheduler(object), *topology = named(object, ".data.topology");
  if (ops == NULL) return refused_as("open", "it has no scheduler (no struct sched_ext_ops in .struct_ops)");
  if (topology != NULL) {
    size_t size;
    void *value = bpf_map__initial_value(topology, &size);
    if (value != NULL) fill_topology(value, size);
  }
  long long began = clock_ns();
  if ((error = bpf_object__load(object)) != 0) return refused("load", error);
  if (only_verify) return 0;
  long long loaded = clock_ns();
  tell_programs(object);
  fflush(stdout);
  long long before = clock_ns();
  struct bpf_link *link = bpf_map__attach_struct_ops(ops);
  if (link == NULL) {
    error = errno;
    int status = refused("attach", error);
    tell_exit(object);
    fflush(stdout);
    return status;
  }
  printf("attached load_ns=%lld attach_ns=%lld name=%s\n", loaded - began,
         clock_ns() - before, bpf_map__name(ops));
  tell_ops();
  fflush(stdout);
  int told = told_to_end(signals);
  bpf_link__destroy(link); /* the kernel's own scheduler takes all tasks back */
  long long code = tell_exit(object);
  fflush(stdout);
  bpf_object__close(object);
  *again = !told && (code & RESTART) != 0;
  return told ? 0 : 1;
}

/* The kernel's request for a new start is obeyed once: with the CPUs of now. */
int main(int argc, char **argv)
{
  sigset_t signals;
  int again;
  int only_verify = argc == 3 && strcmp(argv[1], "-n") == 0;
  if (argc != 2 && !only_verify) return 2;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  libbpf_set_print(keep);
  int status = schedules(argv[argc - 1], only_verify, &signals, &again);
  if (!again) return status;
  printf("restarted\n");
  return schedules(argv[argc - 1], 0, &signals, &again);
}
