(* Cancelables under each shipped scheduler, with fibers in each state. *)

module Sched = Dromos.Sched
module Cancelable = Sched.Cancelable

(* A scheduler, given as a function to run a fiber. *)
type place = {
  name : string;
  inside : (((unit -> unit) -> unit) -> unit) -> unit;
}

(* Runs engines piece by piece, until the function is over. *)
let by_engines f () =
  let rec go engine =
    Sched.Engine.run engine ~fuel:2 ~complete:(fun () _ -> ()) ~expire:go
  in
  go (Sched.Engine.make f)

let places =
  [
    { name = "the root"; inside = (fun f -> f (fun g -> Sched.spawn g)) };
    {
      name = "round robin";
      inside =
        (fun f ->
          Sched.Round_robin.run (fun () ->
              f (fun g -> Sched.Round_robin.spawn g)));
    };
    {
      name = "priority";
      inside =
        (fun f ->
          Sched.Priority.run (fun t ->
              f (fun g -> Sched.Priority.spawn t ~priority:1 g)));
    };
    {
      name = "deadline";
      inside =
        (fun f ->
          Sched.Deadline.run (fun t ->
              f (fun g -> Sched.Deadline.spawn t ~deadline:1. g)));
    };
    {
      name = "load balancing";
      inside =
        (fun f ->
          Sched.Load_balancing.run (fun t ->
              f (fun g -> Sched.Load_balancing.spawn t g)));
    };
    {
      name = "bounded";
      inside =
        (fun f ->
          Sched.Bounded.run ~at_most:2 (fun t ->
              f (fun g -> Sched.Bounded.spawn t g)));
    };
    {
      name = "proportional";
      inside =
        (fun f ->
          Sched.Proportional.run (fun t ->
              let share = Sched.Proportional.share t ~weight:2. in
              f (fun g -> Sched.Proportional.spawn share g)));
    };
    {
      name = "gang";
      inside =
        (fun f ->
          Sched.Gang.run (fun () ->
              f (fun g ->
                  ignore (Sched.Gang.future1 g : unit Sched.Gang.future1))));
    };
    {
      name = "stealing";
      inside =
        (fun f ->
          Sched.Stealing.run (fun () -> f (fun g -> Sched.Stealing.spawn g)));
    };
    {
      name = "engines";
      inside = (fun f -> f (fun g -> Sched.spawn (by_engines g)));
    };
  ]

let compute n =
  let x = ref 0 in
  for i = 1 to n do
    x := Sys.opaque_identity (!x + i)
  done

let states =
  [
    ( "runs",
      fun () ->
        while true do
          compute 1_000;
          Sched.yield ()
        done );
    ("sleeps", fun () -> Dromos.sleep 1000.);
    ("receives", fun () -> Dromos.Channel.recv (Dromos.Channel.create ()));
    ( "is preempted",
      fun () ->
        Sched.Preemption.interruptible (fun () ->
            while true do
              compute 100
            done) );
    ( "cleans up",
      fun () ->
        Fun.protect
          (fun () -> Dromos.sleep 1000.)
          ~finally:(fun () -> Dromos.protect (fun () -> Dromos.sleep 1e-4)) );
    ("is over", ignore);
  ]

(* Some fibers usually have not started when the cancelable is cancelled; the
   last fibers are made during the cancellation. *)
let once ~workers place (state, code) =
  let what = Printf.sprintf "%s, %s, %d workers" place.name state workers in
  let running = Atomic.make 0 and over = Atomic.make false in
  let late = Atomic.make false and left = ref 0 in
  let counted () =
    if Atomic.get over then Atomic.set late true;
    Atomic.incr running;
    Fun.protect code ~finally:(fun () -> Atomic.decr running)
  in
  Dromos.run ~workers (fun () ->
      Sched.Preemption.run ~quantum:1e-3 @@ fun () ->
      place.inside @@ fun spawn ->
      let c = Cancelable.make () in
      let waits = Sched.fiber (Cancelable.wrap c counted) in
      for _ = 1 to 4 do
        spawn (Cancelable.wrap c counted)
      done;
      if Random.State.bool Watch.chance then Dromos.sleep 3e-3;
      Dromos.both
        (fun () -> Cancelable.cancel c)
        (fun () -> Cancelable.cancel c)
      |> ignore;
      left := Atomic.get running;
      Atomic.set over true;
      Sched.release waits;
      spawn (Cancelable.wrap c counted));
  Watch.check Alcotest.int (what ^ ": still running") 0 !left;
  Watch.check Alcotest.bool (what ^ ": after cancel") false (Atomic.get late)

let under place () =
  List.iter
    (fun state ->
      List.iter (fun workers -> once ~workers place state) [ 1; 2; 4 ])
    states

let cases =
  List.map (fun place -> Watch.case ~limit:30. place.name (under place)) places
