/* A single queue for all CPUs. */

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

typedef unsigned long long u64;

struct task_struct {
  int pid;
} __attribute__((preserve_access_index));
struct sched_ext_ops {
  void (*enqueue)(struct task_struct *, u64);
  void (*dispatch)(int, struct task_struct *);
  int (*init)(void);
  unsigned timeout_ms;
  char name[128];
};

int scx_bpf_create_dsq(u64 queue, int node) __ksym;
void scx_bpf_dsq_insert(struct task_struct *task, u64 queue, u64 slice, u64 flags) __ksym;
_Bool scx_bpf_dsq_move_to_local(u64 queue) __ksym;

SEC("struct_ops/enqueue")
void BPF_PROG(enqueue, struct task_struct *task, u64 flags)
{
  scx_bpf_dsq_insert(task, 5, 20000000, flags);
}

SEC("struct_ops/dispatch")
void BPF_PROG(dispatch, int cpu, struct task_struct *before)
{
  scx_bpf_dsq_move_to_local(5);
}

SEC("struct_ops.s/init") int BPF_PROG(init) { return scx_bpf_create_dsq(5, -1); }

SEC(".struct_ops.link")
struct sched_ext_ops fifo = {
  .enqueue = (void *)enqueue,
  .dispatch = (void *)dispatch,
  .init = (void *)init,
  .timeout_ms = 30000,
  .name = "fifo",
};

char _license[] SEC("license") = "GPL";
