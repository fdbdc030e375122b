open Bench_core

(* The lab warms up every contestant with this program. *)
let warm = ("fib", fun ~n:_ ~cutoff:_ () () -> 0)

let contestant name about ~jobs ~probes =
  {
    Contestant.name;
    about;
    parallel = true;
    start =
      (fun ~workers ->
        {
          jobs = warm :: jobs ~workers;
          probes = probes ~workers;
          stop = ignore;
        });
  }

let apart ~workers places make =
  if workers < 2 then []
  else
    [
      ("messages_apart", Passing.job places make);
      ("ping_pong_apart", Passing.ping_pong places make);
    ]

let cancelled = [ "channel-0"; "channel-16"; "mvar-1"; "resumers-1" ]

let of_fibers (name, make) =
  let jobs ~workers =
    ("messages", Passing.job (Passing.fibers ~workers) make)
    :: ("ping_pong", Passing.ping_pong (Passing.fibers ~workers) make)
    :: apart ~workers Passing.fibers_apart make
  in
  let probes ~workers = [ ("cancel_cost", Cancelling.probe make ~workers) ] in
  contestant name
    ("messages between fibers through " ^ name)
    ~jobs
    ~probes:(if List.mem name cancelled then probes else fun ~workers:_ -> [])

let of_threads (name, make) =
  let jobs ~workers =
    let places = if workers = 1 then Passing.threads else Passing.domains in
    ("messages", Passing.job places make)
    :: ("ping_pong", Passing.ping_pong places make)
    :: apart ~workers Passing.domains make
  in
  contestant name
    "a queue under a mutex, waits on conditions: systhreads, or two domains"
    ~jobs ~probes:(fun ~workers:_ -> [])

(* Two threads, whatever the number of workers. *)
let futex =
  let job ~n ~cutoff:_ () =
    let sum = Futex.ping_pong n in
    fun () -> sum
  in
  let jobs ~workers =
    if workers < 2 then [] else [ ("ping_pong", job); ("ping_pong_apart", job) ]
  in
  contestant "futex" "two threads in C that wait by a bare futex" ~jobs
    ~probes:(fun ~workers:_ -> [])

let contestants =
  List.map of_fibers Structures.fibers
  @ List.map of_threads Structures.threads
  @ if Futex.here () then [ futex ] else []
