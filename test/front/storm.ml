(* Scopes cancelled at random moments, while their tasks do everything. *)

open With_run
module Scope = Dromos.Scope

(* The number of tasks that have begun and not ended. *)
let live = Atomic.make 0

let counted f =
  Atomic.incr live;
  Fun.protect f ~finally:(fun () -> Atomic.decr live)

exception Failed

(* The life of a task. [fuse] counts down the steps of the whole scope: the task
   that takes the last step cancels the scope, or fails. *)
let rec task rng s fuse depth () =
  counted (fun () ->
      for _ = 1 to 4 do
        step rng s fuse depth
      done)

and step rng s fuse depth =
  let child () = Random.State.split rng in
  if Atomic.fetch_and_add fuse (-1) = 0 then
    if Random.State.bool rng then Scope.cancel s else raise Failed;
  match Random.State.int rng 12 with
  | (0 | 1 | 2) when depth > 0 ->
      let a = child () and b = child () in
      ignore
        (Dromos.both (task a s fuse (depth - 1)) (task b s fuse (depth - 1)))
  | 3 when depth > 0 -> Scope.fork s (task (child ()) s fuse (depth - 1))
  | 4 when depth > 0 ->
      Dromos.await (Dromos.async (task (child ()) s fuse (depth - 1)))
  | 5 when depth > 0 ->
      Scope.run (fun inner -> task (child ()) inner fuse (depth - 1) ())
  | 6 -> Dromos.sleep (Random.State.float rng 0.0002)
  | 7 -> Dromos.protect (fun () -> Dromos.yield ())
  | 8 when Random.State.int rng 50 = 0 -> Dromos.blocking ignore
  | 9 when Random.State.int rng 20 = 0 -> Dromos.sleep 1000.
  | 10 when Random.State.int rng 20 = 0 -> never ()
  | _ -> Dromos.yield ()

let one rng i =
  let fuse = Atomic.make (Random.State.int rng 40) in
  let watcher = ref None in
  (match
     Scope.run (fun s ->
         (* A task that waits for ever must not hang the scope. *)
         Scope.fork s (fun () ->
             Dromos.sleep 0.05;
             Scope.cancel s);
         if i mod 50 = 0 then
           watcher :=
             Some
               (Thread.create
                  (fun () ->
                    Thread.delay 0.0003;
                    Scope.cancel s)
                  ());
         for _ = 1 to 3 do
           Scope.fork s (task (Random.State.split rng) s fuse 3)
         done;
         task (Random.State.split rng) s fuse 3 ();
         if Random.State.bool rng then raise Failed)
   with
  | () -> ()
  | exception (Failed | Dromos.Cancelled) -> ());
  Option.iter Thread.join !watcher

(* Several scopes at a time, each by a fiber of its own. *)
let storm hub () =
  let workers = 1 + Random.State.int Watch.chance 4 in
  let rng = Random.State.split Watch.chance in
  go ~workers ~hub (fun () ->
      let strands =
        List.init 4 (fun k ->
            let rng = Random.State.split rng in
            Dromos.async (fun () -> times 250 (fun i -> one rng ((4 * i) + k))))
      in
      List.iter Dromos.await strands;
      equal "tasks that still run" 0 (Atomic.get live);
      let stats = Dromos.stats () in
      ensure "stats"
        (stats.tasks > 1000 && stats.promotions >= 0 && stats.steals >= 0
       && stats.suspensions > 0 && stats.sleeps >= 0 && stats.domains >= 0
       && stats.domains <= 128));
  equal "tasks after the run" 0 (Atomic.get live)

(* Each scope alone, so that no task may run between two scopes. *)
let one_by_one () =
  let rng = Random.State.split Watch.chance in
  any (fun () ->
      times 300 (fun i ->
          one rng i;
          equal "tasks after the scope" 0 (Atomic.get live)))

(* The left branch fails while the right branch is forking deep down. *)
let failing_forks () =
  let rec grow n () =
    if n > 0 then ignore (Dromos.both (grow (n - 1)) (grow (n - 1)))
  in
  any (fun () ->
      let rng = Random.State.split Watch.chance in
      times 1000 (fun _ ->
          let n = Random.State.int rng 300 in
          match
            Dromos.both
              (fun () ->
                for _ = 1 to n do
                  Domain.cpu_relax ()
                done;
                raise Failed)
              (fun () -> counted (grow 8))
          with
          | _ -> ensure "no exception" false
          | exception Failed -> equal "the right branch" 0 (Atomic.get live)))

let cases =
  List.map
    (fun hub -> case ("on hub " ^ Dromos.Hub.name hub) (storm hub))
    Dromos.Hub.all
  @ [
      case "one by one" one_by_one;
      case "forks to the right of a failure" failing_forks;
    ]
