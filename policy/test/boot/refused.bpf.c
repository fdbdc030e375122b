/* The program reads beyond the end of an array. The verifier refuses it. */

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

typedef unsigned long long u64;

struct task_struct {
  int pid;
} __attribute__((preserve_access_index));
struct sched_ext_ops {
  void (*enqueue)(struct task_struct *, u64);
  char name[128];
};

void scx_bpf_dsq_insert(struct task_struct *task, u64 queue, u64 slice, u64 flags) __ksym;

u64 slices[4];

SEC("struct_ops/enqueue")
void BPF_PROG(enqueue, struct task_struct *task, u64 flags)
{
  scx_bpf_dsq_insert(task, 0, slices[flags], flags);
}

SEC(".struct_ops.link")
struct sched_ext_ops refused = { .enqueue = (void *)enqueue, .name = "refused" };

char _license[] SEC("license") = "GPL";
