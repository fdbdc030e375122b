(* Pools of resources: never more than the limit, none lent twice, none lost. *)

open Dromos_sync
open Places
module Pool = Resource_pool
module Scope = Dromos.Scope

exception Bang

let random n = Random.State.int Watch.chance n

(* The resources that were made and not disposed of, and their holders. *)
type resource = { lent : bool Atomic.t; mutable over : bool }
type world = { alive : int Atomic.t; most : int Atomic.t; wait : unit -> unit }

let world ?(wait = ignore) () =
  { alive = Atomic.make 0; most = Atomic.make 0; wait }

let rec at_least atomic n =
  let seen = Atomic.get atomic in
  if n > seen && not (Atomic.compare_and_set atomic seen n) then
    at_least atomic n

(* The resource counts as alive as soon as [make] begins. *)
let make ?(fails = fun () -> false) w () =
  at_least w.most (1 + Atomic.fetch_and_add w.alive 1);
  match
    w.wait ();
    if fails () then raise Bang
  with
  | () -> { lent = Atomic.make false; over = false }
  | exception e ->
      Atomic.decr w.alive;
      raise e

let dispose w r =
  if r.over then fail "disposed of twice";
  if Atomic.get r.lent then fail "disposed of while it is lent";
  r.over <- true;
  w.wait ();
  Atomic.decr w.alive

let lend r f =
  if r.over then fail "lent after its end";
  if Atomic.exchange r.lent true then fail "lent twice";
  Fun.protect f ~finally:(fun () -> Atomic.set r.lent false)

let pool ?max_idle ?check ?fails ~max w =
  let dispose r = Dromos.protect (fun () -> dispose w r) in
  Pool.create ~name:"test" ?max_idle ?check ~max ~make:(make ?fails w) ~dispose
    ()

let settled ~max w t =
  Pool.close t;
  let { Pool.made; disposed; in_use; idle; waiting; max = _ } = Pool.stats t in
  equal "made and not disposed of" made disposed;
  equal "alive" 0 (Atomic.get w.alive);
  equal "in use" 0 in_use;
  equal "idle" 0 idle;
  equal "waiting" 0 waiting;
  if Atomic.get w.most > max then fail "%d of %d" (Atomic.get w.most) max

(* {1 Step by step} *)

let reuse () =
  let w = world () in
  let t = pool ~max:3 w in
  let same = ref None in
  for _ = 1 to 5 do
    Pool.use t (fun r ->
        Option.iter (fun r' -> ensure "the last one back" (r == r')) !same;
        same := Some r)
  done;
  Pool.use t (fun a -> Pool.use t (fun b -> ensure "another" (a != b)));
  equal "made" 2 (Pool.stats t).made;
  equal "idle" 2 (Pool.stats t).idle;
  settled ~max:3 w t

let broken () =
  let w = world () and good = ref true in
  let check _ = if !good then true else raise Bang in
  let t = pool ~max:2 ~check w in
  Pool.use t (fun _ -> Pool.use t ignore);
  good := false;
  Pool.use t ignore;
  equal "made" 3 (Pool.stats t).made;
  equal "disposed" 2 (Pool.stats t).disposed;
  settled ~max:2 w t

let failing_function () =
  let w = world () in
  let t = pool ~max:1 w in
  let bang ?reuse () =
    match Pool.use ?reuse t (fun _ -> raise Bang) with
    | () -> fail "no exception"
    | exception Bang -> ()
  in
  bang ();
  equal "disposed" 1 (Pool.stats t).disposed;
  bang ~reuse:(fun e -> e = Bang) ();
  equal "kept" 1 (Pool.stats t).idle;
  bang ~reuse:(fun _ -> failwith "no answer") ();
  equal "disposed" 2 (Pool.stats t).disposed;
  settled ~max:1 w t

let max_idle () =
  let w = world () in
  let t = pool ~max:3 ~max_idle:1 w in
  Pool.use t (fun _ -> Pool.use t (fun _ -> Pool.use t ignore));
  equal "idle" 1 (Pool.stats t).idle;
  equal "disposed" 2 (Pool.stats t).disposed;
  settled ~max:3 w t;
  raises_text "max" [ "~max:0" ] (fun () -> pool ~max:0 w);
  raises_text "max_idle" [ "~max_idle:-1" ] (fun () ->
      pool ~max:1 ~max_idle:(-1) w)

(* A task that holds the only resource until the gate is opened. *)
let with_holder f =
  let w = world () in
  let t = pool ~max:1 w in
  let gate = Ivar.create () and inside = Ivar.create () in
  let hold () =
    Pool.use t (fun _ ->
        Ivar.fill inside ();
        Ivar.read gate)
  in
  let holder = Thread.create hold () in
  Ivar.read inside;
  f t (Ivar.fill gate);
  Thread.join holder;
  settled ~max:1 w t

let closed_while_waiting () =
  with_holder (fun t open_ ->
      let closed = Atomic.make 0 in
      let wait () =
        match Pool.use t ignore with
        | () -> fail "used"
        | exception Pool.Closed -> Atomic.incr closed
      in
      let waiters = List.init 3 (fun _ -> Thread.create wait ()) in
      while (Pool.stats t).waiting < 3 do
        Thread.yield ()
      done;
      times_out "use" (fun () -> Pool.use ~timeout:0.001 t ignore);
      times_out "close" (fun () -> Pool.close ~timeout:0.001 t);
      List.iter Thread.join waiters;
      equal "closed" 3 (Atomic.get closed);
      ensure "closed" (Pool.is_closed t);
      equal "still lent" 0 (Pool.stats t).disposed;
      open_ ();
      Pool.close t;
      equal "disposed" 1 (Pool.stats t).disposed;
      match Pool.use t ignore with
      | () -> fail "used"
      | exception Pool.Closed -> ())

(* The place of a failing [make] goes to the next task, which tries too. *)
let failing_make () =
  let w = world ~wait:Dromos.yield () and left = Atomic.make 3 in
  let fails () = Atomic.fetch_and_add left (-1) > 0 in
  let t = pool ~max:1 ~fails w in
  let failures = Atomic.make 0 and uses = Atomic.make 0 in
  Dromos.run ~workers:2 (fun () ->
      Scope.run (fun s ->
          for _ = 1 to 8 do
            Scope.fork s (fun () ->
                match Pool.use t (fun _ -> Atomic.incr uses) with
                | () -> ()
                | exception Bang -> Atomic.incr failures)
          done));
  equal "failures" 3 (Atomic.get failures);
  equal "uses" 5 (Atomic.get uses);
  settled ~max:1 w t

(* {1 Together} *)

let in_each_place place =
  let w = world ~wait:place.pause () in
  let t = pool ~max:3 w in
  let party p () =
    for i = 1 to 100 do
      match
        Pool.use t (fun r ->
            lend r (fun () ->
                if i land 3 = 0 then place.pause ();
                if (i + p) mod 17 = 0 then raise Bang))
      with
      | () | (exception Bang) -> ()
    done
  in
  place.at_once (List.init 6 party);
  settled ~max:3 w t

(* Cancelled in every state, with a [make], a [check], a function and a
   [dispose] that wait. *)
let storm () =
  List.iter
    (fun (hub, workers) ->
      Dromos.run ~workers ~hub (fun () ->
          for _ = 1 to 40 do
            let w = world ~wait:Dromos.yield () in
            let chance = Atomic.make 0 in
            let every n = Atomic.fetch_and_add chance 1 mod n = 0 in
            let check _ =
              Dromos.yield ();
              not (every 5)
            in
            let t =
              pool ~max:3 ~max_idle:2 ~check ~fails:(fun () -> every 7) w
            in
            let timeout i = if i land 1 = 0 then Some 0.0001 else None in
            let task i () =
              while true do
                Dromos.check ();
                match
                  Pool.use ?timeout:(timeout i) t (fun r ->
                      lend r (fun () ->
                          Dromos.yield ();
                          if every 11 then raise Bang))
                with
                | () | (exception (Bang | Event.Timeout)) -> ()
              done
            in
            let turns = random 15 in
            (match
               Scope.run (fun s ->
                   List.iter
                     (fun i -> Scope.fork s (task i))
                     (List.init 7 Fun.id);
                   for _ = 1 to turns do
                     Dromos.yield ()
                   done;
                   Scope.cancel s)
             with
            | () | (exception Dromos.Cancelled) -> ());
            settled ~max:3 w t
          done))
    (List.concat_map
       (fun hub -> List.map (fun n -> (hub, n)) [ 1; 2; 4 ])
       Dromos.Hub.all)

(* Closed while tasks come, use and wait. *)
let closed_in_use () =
  List.iter
    (fun workers ->
      Dromos.run ~workers (fun () ->
          for _ = 1 to 100 do
            let w = world ~wait:Dromos.yield () in
            let t = pool ~max:2 w in
            let turns = random 10 in
            let rec go () =
              match Pool.use t (fun r -> lend r Dromos.yield) with
              | () -> go ()
              | exception Pool.Closed -> ()
            in
            Scope.run (fun s ->
                for _ = 1 to 5 do
                  Scope.fork s go
                done;
                for _ = 1 to turns do
                  Dromos.yield ()
                done;
                Pool.close t;
                equal "alive" 0 (Atomic.get w.alive));
            settled ~max:2 w t
          done))
    [ 1; 2; 4 ]

(* [dispose] waits although its task is cancelled. *)
let protected_dispose () =
  let disposed = Atomic.make 0 in
  let dispose () =
    Dromos.sleep 0.001;
    Atomic.incr disposed
  in
  let t = Dromos.Resource_pool.create ~max:1 ~make:ignore ~dispose () in
  Dromos.run (fun () ->
      (match
         Scope.run (fun s ->
             Scope.fork s (fun () ->
                 Dromos.Resource_pool.use t (fun () ->
                     Scope.cancel s;
                     Dromos.check ())))
       with
      | () | (exception Dromos.Cancelled) -> ());
      equal "disposed" 1 (Atomic.get disposed));
  Dromos.Resource_pool.close t

let cases =
  [
    Watch.case "reuse" reuse;
    Watch.case "broken ones" broken;
    Watch.case "a function that fails" failing_function;
    Watch.case "at most so many idle" max_idle;
    Watch.case "closed while tasks wait" closed_while_waiting;
    Watch.case "a make that fails" failing_make;
    Watch.case "storm" storm;
    Watch.case "closed in use" closed_in_use;
    Watch.case "dispose is protected" protected_dispose;
  ]
  @ Places.each "lent to one at a time" in_each_place
