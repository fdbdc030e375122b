(* Every interleaving of workers that look for work, announce a sleep and sleep,
   with threads that publish, wake and close: over the shipped pool and hubs,
   and over copies with a seeded fault. At the end every accepted task has run
   once, and no worker sleeps that should not. *)

open Dromos_model
open Kernel_traced
module Atomic = Traced.Atomic

module type POOL = sig
  type t
  type context

  val create :
    hub:(workers:int -> context Hub.t) ->
    idle:int Atomic.t ->
    on_idle:(int -> unit) ->
    workers:int ->
    t

  val run : t -> (context -> 'a) -> 'a option
  val close : t -> bool
  val serve : t -> worker:int -> until:(unit -> bool) -> unit
  val wake : t -> int -> unit
  val size : context -> int
  val async : context -> (context -> unit) -> unit
  val wait_ivar : context -> (context, 'a) Dromos_base.Ivar.t -> unit
  val submit : t -> Hub.reason -> context Hub.task -> bool
  val submit_to : t -> int -> Hub.reason -> context Hub.task -> bool
end

let fail fmt = Printf.ksprintf failwith fmt

module Scenarios (Pool : POOL) = struct
  (* [runs] is a plain field: it is written within steps of traced threads. *)
  type world = {
    pool : Pool.t;
    left : int Atomic.t;
    mutable runs : int list;
    mutable expected : int list;
  }

  let make (hub : Hub.maker) workers expected =
    let pool =
      Pool.create ~hub:hub.make ~idle:(Atomic.make 0) ~on_idle:ignore ~workers
    in
    let left = Atomic.make (List.length expected) in
    { pool; left; runs = []; expected }

  (* The last task to run wakes all workers, which serve until then. *)
  let code w n ctx =
    w.runs <- n :: w.runs;
    if Atomic.fetch_and_add w.left (-1) = 1 then
      for i = 0 to Pool.size ctx - 1 do
        Pool.wake w.pool i
      done

  let task w n = Hub.task (code w n)
  let over w () = Atomic.get w.left = 0
  let serve w worker () = Pool.serve w.pool ~worker ~until:(over w)

  let check w () =
    if Explore.asleep () > 0 then fail "%d asleep" (Explore.asleep ());
    let runs = List.sort compare w.runs in
    if runs <> w.expected then
      fail "ran: %s" (String.concat " " (List.map string_of_int runs))

  let accepted = function true -> () | false -> fail "refused"

  (* A worker, and an outside thread with a task for the worker. *)
  let submit hub () =
    let w = make hub 1 [ 1 ] in
    let outside () = accepted (Pool.submit w.pool Hub.New (task w 1)) in
    ([ serve w 0; outside ], check w)

  let submit_to hub () =
    let w = make hub 1 [ 1 ] in
    let outside () = accepted (Pool.submit_to w.pool 0 Hub.New (task w 1)) in
    ([ serve w 0; outside ], check w)

  (* An idle worker is called off. *)
  let wake hub () =
    let w = make hub 1 [] in
    Atomic.set w.left 1;
    let outside () =
      Atomic.set w.left 0;
      Pool.wake w.pool 0
    in
    ([ serve w 0; outside ], check w)

  (* Two workers, two tasks from outside; only worker 1 may run the second
     task. *)
  let both_kinds hub () =
    let w = make hub 2 [ 1; 2 ] in
    let outside () =
      accepted (Pool.submit_to w.pool 1 Hub.New (task w 2));
      accepted (Pool.submit w.pool Hub.New (task w 1))
    in
    ([ serve w 0; serve w 1; outside ], check w)

  (* A task publishes two tasks and does not return to the hub until both have
     run: thieves must get both, or at least the older. *)
  let thief hub () =
    let w = make hub 2 [ 1; 2 ] in
    let owner () =
      match
        Pool.run w.pool (fun ctx ->
            Pool.async ctx (code w 1);
            Pool.async ctx (code w 2))
      with
      | Some () -> ()
      | None -> fail "refused"
    in
    ([ serve w 1; owner ], check w)

  (* The first worker keeps coming back to the hub; the second can steal only
     from the first. *)
  let share hub () =
    let w = make hub 2 [ 1; 2 ] in
    let root ctx =
      Pool.async ctx (code w 1);
      Pool.async ctx (code w 2)
    in
    accepted (Pool.submit_to w.pool 0 Hub.New (Hub.task root));
    ([ serve w 0; serve w 1 ], check w)

  (* A worker of two is called off while a task for either comes. *)
  let leaver hub () =
    let w = make hub 2 [ 1 ] in
    let leave = Atomic.make false in
    let leaver () =
      Pool.serve w.pool ~worker:0 ~until:(fun () -> Atomic.get leave)
    in
    let outside () =
      (* Random schedules rarely delay a thread by themselves. *)
      for _ = 1 to 60 do
        ignore (Atomic.get leave)
      done;
      accepted (Pool.submit w.pool Hub.New (task w 1));
      Atomic.set leave true;
      Pool.wake w.pool 0
    in
    ([ serve w 1; leaver; outside ], check w)

  (* A task waits for an ivar; a task of another worker sets the ivar. *)
  let ivar hub () =
    let w = make hub 2 [ 1 ] in
    let ivar = Dromos_base.Ivar.create () in
    let waiter () =
      match
        Pool.run w.pool (fun ctx ->
            Pool.async ctx (fun ctx ->
                ignore (Dromos_base.Ivar.set ctx ivar ());
                code w 1 ctx);
            Pool.wait_ivar ctx ivar;
            if not (Dromos_base.Ivar.is_set ivar) then fail "not set")
      with
      | Some () -> ()
      | None -> fail "refused"
    in
    ([ serve w 1; waiter ], check w)

  (* Closing against a submission: the submission is refused, or accepted and
     run. *)
  let close hub () =
    let w = make hub 1 [] in
    let outside () =
      if Pool.submit w.pool Hub.New (task w 1) then w.expected <- [ 1 ]
    in
    let closer () = if not (Pool.close w.pool) then fail "closed already" in
    ([ closer; outside ], check w)

  (* Like [close], while a worker serves; the closer waits for the worker. *)
  let close_served hub () =
    let w = make hub 1 [] in
    let outside () =
      if Pool.submit w.pool Hub.New (task w 1) then w.expected <- [ 1 ]
    in
    let server () = Pool.serve w.pool ~worker:0 ~until:(fun () -> false) in
    let closer () = if not (Pool.close w.pool) then fail "closed already" in
    ([ closer; server; outside ], check w)

  (* Like [close_served], with a worker that may be asleep, and a task for that
     worker alone. *)
  let close_two hub () =
    let w = make hub 2 [] in
    let outside () =
      if Pool.submit_to w.pool 1 Hub.New (task w 1) then w.expected <- [ 1 ]
    in
    let server () = Pool.serve w.pool ~worker:1 ~until:(fun () -> false) in
    let closer () = if not (Pool.close w.pool) then fail "closed already" in
    ([ closer; server; outside ], check w)
end

module Shipped = Scenarios (Pool)

let hubs =
  [ Std.maker; Fifo.maker; Hybrid.maker; Private_.maker; Dealing.maker ]

let name (hub : Hub.maker) = (hub.make ~workers:1).Hub.name

let each_hub ?random what scenario =
  let case hub =
    Explore.passes ?random (name hub ^ ": " ^ what) (scenario hub)
  in
  List.map case hubs

(* Scenarios with too many interleavings are sampled. *)
let sample = 100

let every =
  List.concat
    [
      each_hub "a task from outside" Shipped.submit;
      each_hub "a task for one worker" Shipped.submit_to;
      each_hub "called off" Shipped.wake;
    ]

let sampled =
  let each_hub what scenario = each_hub ~random:sample what scenario in
  List.concat
    [
      each_hub "stealing from an absent worker" Shipped.thief;
      each_hub "stealing from a worker that comes back" Shipped.share;
      each_hub "waiting for an ivar" Shipped.ivar;
      each_hub "one of two is called off" Shipped.leaver;
      each_hub "tasks for one and for all" Shipped.both_kinds;
      each_hub "closing" Shipped.close;
      each_hub "closing while a worker serves" Shipped.close_served;
      each_hub "closing over a sleeper" Shipped.close_two;
    ]

let bugs =
  let module Blind = Scenarios (Pool_blind) in
  let module Deaf = Scenarios (Pool_deaf) in
  let module Hasty = Scenarios (Pool_hasty) in
  let module Backwards = Scenarios (Pool_backwards) in
  let module Late = Scenarios (Pool_late) in
  let std = Std.maker in
  let random = 20_000 in
  [
    Explore.catches "no second look" (Blind.submit std);
    Explore.catches "not called off" (Deaf.wake std);
    Explore.catches "the end comes before the announcement"
      (Hasty.close_served std);
    Explore.catches "notified before published" (Backwards.submit std);
    Explore.catches "counted too late" (Late.close std);
    Explore.catches ~random "no mark" (Shipped.share Private_unmarked.maker);
    Explore.catches ~random "not told" (Shipped.share Dealing_mute.maker);
  ]

let () =
  Alcotest.run "parking"
    [ ("every interleaving", every); ("sampled", sampled); ("bugs", bugs) ]
