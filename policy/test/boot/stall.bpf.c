/* Tasks enter a queue from which no CPU takes any. */

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

typedef unsigned long long u64;

enum scx_exit_kind { SCX_EXIT_NONE };
struct scx_exit_info {
  enum scx_exit_kind kind;
  long long exit_code;
  const char *reason;
  const char *msg;
} __attribute__((preserve_access_index));

struct task_struct {
  int pid;
} __attribute__((preserve_access_index));
struct sched_ext_ops {
  int (*select_cpu)(struct task_struct *, int, u64);
  void (*enqueue)(struct task_struct *, u64);
  int (*init)(void);
  void (*exit)(struct scx_exit_info *);
  unsigned timeout_ms;
  char name[128];
};

int scx_bpf_create_dsq(u64 queue, int node) __ksym;
void scx_bpf_dsq_insert(struct task_struct *task, u64 queue, u64 slice, u64 flags) __ksym;

struct {
  int kind;
  long long code;
  char reason[128];
  char message[1024];
} ended SEC(".data.exit") = { 0 };

/* The operation does not look for an idle CPU: the kernel would put the task on that
   CPU. */
SEC("struct_ops/select_cpu")
int BPF_PROG(select_cpu, struct task_struct *task, int before, u64 flags)
{
  return before;
}

SEC("struct_ops/enqueue")
void BPF_PROG(enqueue, struct task_struct *task, u64 flags)
{
  scx_bpf_dsq_insert(task, 5, 20000000, flags);
}

SEC("struct_ops.s/init") int BPF_PROG(init) { return scx_bpf_create_dsq(5, -1); }

SEC("struct_ops/exit")
void BPF_PROG(exit_policy, struct scx_exit_info *why)
{
  bpf_probe_read_kernel_str(ended.reason, sizeof ended.reason, why->reason);
  bpf_probe_read_kernel_str(ended.message, sizeof ended.message, why->msg);
  ended.code = why->exit_code;
  ended.kind = why->kind;
}

SEC(".struct_ops.link")
struct sched_ext_ops stall = {
  .select_cpu = (void *)select_cpu,
  .enqueue = (void *)enqueue,
  .init = (void *)init,
  .exit = (void *)exit_policy,
  .timeout_ms = 2000,
  .name = "stall",
};

char _license[] SEC("license") = "GPL";
