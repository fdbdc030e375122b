(* The common interface of the shipped schedulers, for tests that all must
   pass. *)

module Sched = Dromos.Sched

type t = {
  name : string;
  run :
    'a.
    ?vprocs:Sched.Vproc.t list ->
    ?under:(Sched.Vproc.t -> Sched.fiber -> unit) ->
    (handle -> 'a) ->
    'a;
}

and handle = {
  spawn : (unit -> unit) -> unit;
  urgent : (unit -> unit) -> unit;  (** with the best rank of all *)
  give : Sched.Vproc.t -> Sched.fiber -> unit;  (** as [under] *)
}

(* Ranks, and other distinctions between fibers, are drawn by chance: no tested
   property may depend on them. *)
let draw n = Random.State.int Watch.chance n
let ranks = Array.init 997 (fun _ -> draw 10)
let next = Atomic.make 0
let rank () = ranks.(Atomic.fetch_and_add next 1 mod Array.length ranks)

let priority name ageing =
  let module P = Sched.Priority in
  {
    name;
    run =
      (fun ?vprocs ?under f ->
        P.run ?vprocs ?under ?ageing (fun t ->
            f
              {
                spawn = (fun g -> P.spawn t ~priority:(rank ()) g);
                urgent = (fun g -> P.spawn t ~priority:100 g);
                give = (fun _ k -> P.give t ~priority:(rank ()) k);
              }));
  }

let deadline =
  let module D = Sched.Deadline in
  let draw () = 1. +. float (rank ()) in
  {
    name = "deadline";
    run =
      (fun ?vprocs ?under f ->
        D.run ?vprocs ?under (fun t ->
            f
              {
                spawn = (fun g -> D.spawn t ~deadline:(draw ()) g);
                urgent = (fun g -> D.spawn t ~deadline:0. g);
                give = (fun _ k -> D.give t ~deadline:(draw ()) k);
              }));
  }

let load_balancing =
  let module L = Sched.Load_balancing in
  {
    name = "load balancing";
    run =
      (fun ?vprocs ?under f ->
        L.run ?vprocs ?under (fun t ->
            let spawn g = L.spawn t ~pinned:(rank () = 0) g in
            f { spawn; urgent = spawn; give = L.give t }));
  }

let bounded name at_most =
  let module B = Sched.Bounded in
  {
    name;
    run =
      (fun ?vprocs ?under f ->
        B.run ?vprocs ?under ~at_most (fun t ->
            f
              {
                spawn = (fun g -> B.spawn t g);
                urgent = (fun g -> B.spawn t g);
                give = (fun _ k -> B.give t k);
              }));
  }

let round_robin =
  let module R = Sched.Round_robin in
  {
    name = "round robin";
    run =
      (fun ?vprocs ?under f ->
        R.run ?vprocs ?under (fun () ->
            let spawn g = R.spawn g in
            f { spawn; urgent = spawn; give = R.give }));
  }

let stealing =
  let module S = Sched.Stealing in
  {
    name = "stealing";
    run =
      (fun ?vprocs ?under f ->
        S.run ?vprocs ?under (fun () ->
            let spawn g = S.spawn g in
            f { spawn; urgent = spawn; give = S.give }));
  }

let all =
  [
    priority "priority" None;
    priority "ageing" (Some 3);
    deadline;
    load_balancing;
    round_robin;
    stealing;
    bounded "bounded by 1" 1;
    bounded "bounded by 3" 3;
  ]

let pick () = List.nth all (draw (List.length all))
let cases test = List.map (fun t -> Watch.case t.name (fun () -> test t)) all
let workers () = 1 + draw 4
let hubs = Array.of_list Dromos.Hub.all

let on ?(workers = workers ()) f =
  let hub = hubs.(draw (Array.length hubs)) in
  Printf.printf "%d workers, %s\n%!" workers (Dromos.Hub.name hub);
  Dromos.run ~workers ~hub f
