/* libbpf's header, for this process. Sections are empty, and helpers are functions of
   the driver. The test sets the values of the system. */
#pragma once
#define SEC(name)
#define __uint(name, value) int(*name)[value]
#define __type(name, value) typeof(value) *name
#define __always_inline inline __attribute__((always_inline))
#define __noinline __attribute__((noinline))
#define __ksym
#define __arg_nonnull
#define __weak __attribute__((weak))
#define bpf_ksym_exists(f) (1)
#define more() (1)

#define SYSTEM_SAYS
extern long long said_now, said_random, said_draw;
#define ticks() ((__u64)said_now)
#define random(e) (said_random)
#define draw(e, n) (said_draw % (n))

struct task_struct;
void *bpf_map_lookup_elem(void *map, const void *key);
void *bpf_task_storage_get(void *map, struct task_struct *p, void *value, __u64 flags);
void bpf_spin_lock(struct bpf_spin_lock *lock);
void bpf_spin_unlock(struct bpf_spin_lock *lock);
__u32 bpf_get_smp_processor_id(void);
long bpf_timer_init(struct bpf_timer *timer, void *map, __u64 flags);
long bpf_timer_set_callback(struct bpf_timer *timer, void *callback);
long bpf_timer_start(struct bpf_timer *timer, __u64 ns, __u64 flags);
__u64 bpf_ktime_get_ns(void);
long bpf_probe_read_kernel_str(void *to, __u32 size, const void *from);
