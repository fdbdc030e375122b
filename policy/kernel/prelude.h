#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

typedef __u8 u8;
typedef __s32 s32;
typedef __u32 u32;
typedef __s64 s64;
typedef __u64 u64;
typedef _Bool bool;
#define true 1
#define false 0

/* Some policies do not use all parts of the machine. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-const-variable"

char _license[] SEC("license") = "GPL";

/* {The kernel} The used parts of its types, found by name in its type information. */

struct cpumask {
  unsigned long bits[1];
} __attribute__((preserve_access_index));

struct sched_ext_entity {
  u64 slice;
  u32 flags;
  u32 weight;
} __attribute__((preserve_access_index));

struct task_struct {
  s32 pid, tgid;
  unsigned int flags;
  s32 static_prio;
  const struct cpumask *cpus_ptr;
  struct sched_ext_entity scx;
} __attribute__((preserve_access_index));

struct scx_init_task_args {
  bool fork;
} __attribute__((preserve_access_index));

struct scx_exit_task_args {
  bool cancelled;
} __attribute__((preserve_access_index));

struct scx_cpu_release_args;
struct scx_dump_ctx;

enum scx_exit_kind { SCX_EXIT_NONE };

struct scx_exit_info {
  enum scx_exit_kind kind;
  s64 exit_code;
  const char *reason;
  const char *msg;
} __attribute__((preserve_access_index));

struct sched_ext_ops {
  s32 (*select_cpu)(struct task_struct *, s32, u64);
  void (*enqueue)(struct task_struct *, u64);
  void (*dispatch)(s32, struct task_struct *);
  void (*tick)(struct task_struct *);
  void (*running)(struct task_struct *);
  void (*quiescent)(struct task_struct *, u64);
  bool (*yield)(struct task_struct *, struct task_struct *);
  void (*set_cpumask)(struct task_struct *, const struct cpumask *);
  void (*cpu_release)(s32, struct scx_cpu_release_args *);
  s32 (*init_task)(struct task_struct *, struct scx_init_task_args *);
  void (*exit_task)(struct task_struct *, struct scx_exit_task_args *);
  void (*enable)(struct task_struct *);
  s32 (*init)(void);
  void (*dump)(struct scx_dump_ctx *);
  void (*exit)(struct scx_exit_info *);
  u64 flags;
  u32 timeout_ms;
  char name[128];
};

enum {
  PF_EXITING = 4,
  PF_KTHREAD = 0x200000,
  SCX_TASK_QUEUED = 1,
  SCX_WAKE_FORK = 4,
  SCX_WAKE_TTWU = 8,
  SCX_DEQ_SLEEP = 1,
  SCX_KICK_IDLE = 1,
  SCX_OPS_ENQ_LAST = 2,
  CLOCK_MONOTONIC = 1,
};
#define SCX_DSQ_GLOBAL 0x8000000000000001ULL
#define SCX_DSQ_LOCAL 0x8000000000000002ULL

/* Functions of the kernel with changed names or arguments: the loader keeps those
   that the kernel has. 6.13 renamed scx_bpf_dispatch to scx_bpf_dsq_insert; 6.19
   gave some a hidden argument that type information may show. */
void scx_bpf_dsq_insert___old(struct task_struct *, u64, u64, u64) __ksym __weak;
bool scx_bpf_dsq_insert___new(struct task_struct *, u64, u64, u64) __ksym __weak;
void scx_bpf_dispatch___old(struct task_struct *, u64, u64, u64) __ksym __weak;
void scx_bpf_dispatch_cancel(void) __ksym __weak;
void scx_bpf_kick_cpu(s32, u64) __ksym;
u32 scx_bpf_nr_cpu_ids(void) __ksym;
s32 scx_bpf_task_cpu(const struct task_struct *) __ksym;
u32 scx_bpf_reenqueue_local(void) __ksym __weak;
const struct cpumask *scx_bpf_get_online_cpumask(void) __ksym;
void scx_bpf_put_cpumask(const struct cpumask *) __ksym;
bool bpf_cpumask_test_cpu(u32, const struct cpumask *) __ksym;
struct task_struct *bpf_task_from_pid(s32) __ksym;
void bpf_task_release(struct task_struct *) __ksym;

static __always_inline void insert(struct task_struct *p, u64 dsq, u64 slice,
                                   u64 flags) {
  if (bpf_ksym_exists(scx_bpf_dsq_insert___old))
    scx_bpf_dsq_insert___old(p, dsq, slice, flags);
  else if (bpf_ksym_exists(scx_bpf_dsq_insert___new))
    scx_bpf_dsq_insert___new(p, dsq, slice, flags);
  else
    scx_bpf_dispatch___old(p, dsq, slice, flags);
}

static __always_inline void cancel(void) {
  if (bpf_ksym_exists(scx_bpf_dispatch_cancel)) scx_bpf_dispatch_cancel();
}

/* A loop goes on while the verifier's budget lasts: eight million rounds. */
#ifndef more
#define more()                                                                 \
  ({                                                                           \
    __label__ over, on;                                                        \
    bool more_ = true;                                                         \
    asm volatile goto("may_goto %l[over]" ::: : over);                         \
    goto on;                                                                   \
  over:                                                                        \
    more_ = false;                                                             \
  on:;                                                                         \
    more_;                                                                     \
  })
#endif
