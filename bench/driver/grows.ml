let family = "growing"

let growing =
  [
    ("grow_elements", "an array of n elements, mapped and folded");
    ("grow_sorted", "an array of n elements, sorted");
    ("grow_tasks", "n tasks made, then awaited");
    ("grow_sleepers", "n tasks asleep at a time");
    ("grow_timers", "n timers set, then cancelled");
    ("grow_timeouts", "n tasks that wait, each under a timeout");
    ("grow_mutex", "n tasks that wait for a mutex, and then have it in turn");
    ("grow_leaving", "n tasks that wait for a mutex, and are cancelled");
    ("grow_senders", "n senders of one channel that wait, and then are served");
    ("grow_receivers", "n receivers of one channel that wait, then are served");
    ("grow_choosers", "n tasks that wait on two channels, served on the second");
    ("grow_semaphore", "n tasks that wait for a permit, released at once");
    ("grow_condition", "n tasks that wait for a condition, broadcast");
    ("grow_barrier", "n tasks that meet at a barrier");
    ("grow_promise", "n tasks that await one promise");
    ("grow_rwlock", "n readers that wait for a writer");
    ("grow_scopes", "scopes in scopes, n deep");
    ("grow_nested", "tasks that await tasks, n deep");
    ("grow_forks", "forks in first branches, n deep");
    ("grow_dag", "a graph of n vertices, each after two others");
    ("grow_fan", "a graph of n vertices between a first and a last one");
  ]

let sizes =
  [
    1_000; 10_000; 31_623; 100_000; 316_228; 1_000_000; 3_162_278; 10_000_000;
  ]
[@@ocamlformat "disable"]

let quick_sizes = [ 1_000; 3_162; 10_000 ]

let contended =
  [
    ("contend_mutex", "lock, count, unlock");
    ("contend_channel", "send, receive; capacity 16");
    ("contend_semaphore", "acquire one of four permits, count, release");
    ("contend_barrier", "arrive, and wait for the others");
  ]

let tasks = [ 1; 2; 4; 8; 16; 32; 64; 128; 256 ]
let quick_tasks = [ 1; 4; 16 ]
let operations = 1 lsl 17
let quick_operations = 1 lsl 11
