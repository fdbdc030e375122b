(* Dromos.Worker_local: one task at a time has a value. *)

open With_run
module W = Dromos.Worker_local

type busy = { held : bool Atomic.t; mutable uses : int }

let fresh made () =
  Atomic.incr made;
  { held = Atomic.make false; uses = 0 }

(* Runs [f] while no other task has the value. *)
let use t f =
  W.use t (fun v ->
      ensure "no other task has it" (Atomic.compare_and_set v.held false true);
      v.uses <- v.uses + 1;
      Fun.protect f ~finally:(fun () -> Atomic.set v.held false))

let uses t = W.fold t 0 (fun n v -> n + v.uses)

let work () =
  let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2) in
  ignore (Sys.opaque_identity (fib 8))

let everywhere f =
  each_hub (fun hub -> List.iter (fun workers -> f ~workers ~hub) [ 1; 2; 4 ])

let once_per_worker () =
  everywhere (fun ~workers ~hub ->
      let made = Atomic.make 0 in
      let t = W.create (fresh made) in
      Dromos.run ~workers ~hub (fun () ->
          Dromos.Par.for_ ~grain:1 0 2000 (fun _ -> use t work));
      equal "uses" 2000 (uses t);
      (* A pool domain may end, and another domain take its place. *)
      ensure "few values" (Atomic.get made <= 4 * workers))

(* Held over waits; after a wait, the task may be on another worker. *)
let over_waits () =
  everywhere (fun ~workers ~hub ->
      let made = Atomic.make 0 in
      let t = W.create (fresh made) in
      let tasks = 200 in
      Dromos.run ~workers ~hub (fun () ->
          Dromos.Scope.run (fun scope ->
              for i = 1 to tasks do
                Dromos.Scope.fork scope (fun () ->
                    use t (fun () ->
                        if i land 7 = 0 then Dromos.sleep 0.001
                        else Dromos.yield ();
                        work ()))
              done));
      equal "uses" tasks (uses t);
      ensure "no more than tasks" (Atomic.get made <= tasks))

let nested () =
  let made = Atomic.make 0 in
  let t = W.create (fresh made) in
  go ~workers:1 (fun () ->
      times 100 (fun _ -> use t (fun () -> use t (fun () -> use t ignore))));
  equal "made" 3 (Atomic.get made);
  equal "uses" 300 (uses t)

let exceptions () =
  let made = Atomic.make 0 in
  let t = W.create (fresh made) in
  go ~workers:1 (fun () ->
      times 100 (fun _ ->
          raises "use" Exit (fun () -> use t (fun () -> raise Exit))));
  equal "made" 1 (Atomic.get made);
  (* Cancelled during a wait. *)
  go ~workers:1 (fun () ->
      times 20 (fun _ ->
          raises "timeout" Dromos.Timeout (fun () ->
              Dromos.timeout 0.001 (fun () -> use t never))));
  equal "made" 1 (Atomic.get made);
  let never_made = W.create (fun () -> raise Exit) in
  raises "create" Exit (fun () -> W.use never_made Fun.id);
  equal "none" 0 (W.fold never_made 0 (fun n () -> n + 1))

let in_use () =
  let t = W.create (fun () -> ref 0) in
  W.use t (fun _ ->
      match W.iter t ignore with
      | () -> raise (Wrong "iter: no exception")
      | exception Invalid_argument _ -> ());
  W.iter t incr;
  equal "outside a run" 1 (W.fold t 0 (fun n v -> n + !v))

let dropped () =
  let weak = Weak.create 1 in
  let fill () =
    let t = W.create (fun () -> Bytes.create 10) in
    W.use t (fun v -> Weak.set weak 0 (Some v))
  in
  (Sys.opaque_identity fill) ();
  Gc.full_major ();
  Gc.full_major ();
  ensure "its values go with it" (not (Weak.check weak 0))

let cases =
  [
    case "once per worker" once_per_worker;
    case "over waits" over_waits;
    case "uses in uses" nested;
    case "exceptions" exceptions;
    case "while one is in use" in_use;
    case "dropped" dropped;
  ]
