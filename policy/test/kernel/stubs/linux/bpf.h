/* The part of the kernel's header needed by generated programs, for this process. */
#pragma once
typedef unsigned char __u8;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
struct bpf_spin_lock {
  __u32 held;
};
struct bpf_timer {
  __u32 started;
};
enum {
  BPF_MAP_TYPE_ARRAY,
  BPF_MAP_TYPE_TASK_STORAGE,
  BPF_F_NO_PREALLOC = 1,
  BPF_LOCAL_STORAGE_GET_F_CREATE = 1
};
