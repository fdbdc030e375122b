module Contestant = Bench_core.Contestant

(* A kind of mutex: how to make, lock and unlock a mutex. *)
type mutex = Mutex : (unit -> 'm) * ('m -> unit) * ('m -> unit) -> mutex

let ours =
  Mutex
    ( (fun () -> Dromos_sync.Mutex.create ()),
      (fun m -> Dromos_sync.Mutex.lock m),
      Dromos_sync.Mutex.unlock )

let stdlib = Mutex (Stdlib.Mutex.create, Stdlib.Mutex.lock, Stdlib.Mutex.unlock)

(* The floor: no contender locks, so the counter may be wrong. *)
let none = Mutex (ignore, ignore, ignore)

(* The contenders, and the way in which the holder gives way. *)
type parties = {
  at_once : workers:int -> (unit -> unit) list -> unit;
  pause : unit -> unit;
}

let fibers =
  {
    at_once =
      (fun ~workers parties ->
        Dromos.run ~workers (fun () ->
            Dromos.Scope.run (fun s -> List.iter (Dromos.Scope.fork s) parties)));
    pause = Dromos.yield;
  }

let in_threads parties =
  let start party = Thread.create party () in
  List.iter Thread.join (List.map start parties)

let threads =
  {
    at_once = (fun ~workers:_ parties -> in_threads parties);
    pause = Thread.yield;
  }

(* On two domains, with several threads each if needed. *)
let domains =
  let at_once ~workers:_ parties =
    let even i _ = i land 1 = 0 in
    let some = List.filteri even parties in
    let others = List.filteri (fun i p -> not (even i p)) parties in
    match (some, others) with
    | some, [] -> in_threads some
    | some, others ->
        let there = Domain.spawn (fun () -> in_threads others) in
        in_threads some;
        Domain.join there
  in
  { at_once; pause = Domain.cpu_relax }

let job (Mutex (create, lock, unlock)) parties ~workers ~n ~cutoff:contenders =
  let share i = (n / contenders) + if i < n mod contenders then 1 else 0 in
  let alone = contenders = 1 in
  fun () ->
    let m = create () and count = ref 0 in
    let last = ref 0 and changes = ref 0 in
    let pause () = if not alone then parties.pause () in
    let party i () =
      for _ = 1 to share i do
        lock m;
        incr count;
        if !last <> i then begin
          incr changes;
          last := i
        end;
        pause ();
        unlock m;
        pause ()
      done
    in
    parties.at_once ~workers (List.init contenders party);
    fun () ->
      Bench_core.Figures.tell "handed_over"
        (float_of_int !changes /. float_of_int n);
      !count

let contestant ?(parallel = false) name about mutex parties =
  let start ~workers =
    let job = job mutex parties ~workers in
    let jobs = [ ("sync_lock", job) ] in
    { Contestant.jobs; probes = []; stop = ignore }
  in
  { Contestant.name; about; parallel; start }

(* Fibers that give way without a lock count right on one worker only; with two
   workers, each fiber has a counter of its own. *)
let floor =
  let job ~workers ~n ~cutoff =
    let body = job none fibers ~workers ~n ~cutoff in
    fun () ->
      let (_ : unit -> int) = body () in
      fun () -> n
  in
  let start ~workers =
    let jobs = [ ("sync_lock", job ~workers) ] in
    { Contestant.jobs; probes = []; stop = ignore }
  in
  {
    Contestant.name = "yield-fibers";
    about = "no mutex: what giving way costs";
    parallel = true;
    start;
  }

let contestants =
  [
    contestant ~parallel:true "mutex-fibers" "Dromos_sync.Mutex between fibers"
      ours fibers;
    floor;
    contestant "mutex-threads" "Dromos_sync.Mutex between systhreads" ours
      threads;
    contestant "stdlib-threads" "Stdlib.Mutex between systhreads" stdlib threads;
    contestant "mutex-domains" "Dromos_sync.Mutex, threads on two domains" ours
      domains;
    contestant "stdlib-domains" "Stdlib.Mutex, threads on two domains" stdlib
      domains;
  ]
