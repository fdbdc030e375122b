module By_rank = Map.Make (struct
  type t = int * int (* rank, number of its arrival *)

  let compare (a, i) (b, j) =
    match Int.compare a b with 0 -> Int.compare i j | order -> order
end)

type state = {
  fibers : Core.fiber By_rank.t;
  arrivals : int;
  places : int;  (** that are free *)
  hungry : Sleepers.sleeper list;
      (** instances that wait; one that was cancelled stays *)
  closed : bool;
}

(* No instance waits while it could take something and has not been woken:
   [wake] after each change that makes more possible, and [wait] looks again. *)
type t = {
  most : int option;  (** places *)
  mutable place : Vproc.t option;
      (** of one instance, set before the first starts: tells the run *)
  state : state Atomic.t;
  served : (Vproc.t * int ref) list Atomic.t;
      (** the vprocs with an instance, each with the rank of the fiber that it
          runs, [least] while that is unknown: plain, written by the instance, a
          guess for whom to preempt *)
}

let least = min_int

let create ?places () =
  let free = Option.value places ~default:1 in
  if free < 1 then invalid_arg "Sched.Shared_queue.create: places < 1";
  let fibers = By_rank.empty in
  let state =
    { fibers; arrivals = 0; places = free; hungry = []; closed = false }
  in
  {
    most = places;
    place = None;
    state = Atomic.make_contended state;
    served = Atomic.make [];
  }

let arrivals t = (Atomic.get t.state).arrivals
let length t = By_rank.cardinal (Atomic.get t.state).fibers

let may_run vproc k =
  match Core.only_on k with None -> true | Some id -> id = Vproc.id vproc

(* What that vproc would take. *)
let first state vproc =
  if state.places = 0 then None
  else
    match By_rank.min_binding_opt state.fibers with
    | Some ((_, k) as binding) when may_run vproc k -> Some binding
    | Some _ ->
        Seq.find (fun (_, k) -> may_run vproc k) (By_rank.to_seq state.fibers)
    | None -> None

let could_take state vproc = Option.is_some (first state vproc)

(* {1 Waking} *)

let rec wake_some t ~able =
  let seen = Atomic.get t.state in
  match Sleepers.choose ~able:(able seen) seen.hungry with
  | [], _ -> false
  | chosen, hungry ->
      if not (Atomic.compare_and_set t.state seen { seen with hungry }) then
        wake_some t ~able
      else Sleepers.wake chosen || wake_some t ~able

(* For whatever there is. Who was woken and finds nothing asks the others: what
   it was woken for may have gone to one that was woken for something else, which
   only a third can take. So does who finds a fiber that only it can run: what it
   was woken for is still there, as a rule. *)
let wake t = ignore (wake_some t ~able:could_take : bool)

(* For that fiber: others who could take something may be on their way. *)
let wake_for t k =
  wake_some t ~able:(fun state vproc -> state.places > 0 && may_run vproc k)

(* The vproc, of those that might take it, that runs what is least urgent. *)
let preempt_for t ~rank k =
  let worse best ((vproc, running) as candidate) =
    let bar = match best with Some (_, r) -> !r | None -> rank in
    if !running > bar && may_run vproc k then Some candidate else best
  in
  match List.fold_left worse None (Atomic.get t.served) with
  | Some (vproc, _) -> Vproc.preempt vproc
  | None -> ()

let rec update t change =
  let seen = Atomic.get t.state in
  if not (Atomic.compare_and_set t.state seen (change seen)) then
    update t change

(* [false] if the queue is closed. Not to be asked later: whoever closes it
   meanwhile has the fiber. *)
let rec arrive t ~rank k =
  let seen = Atomic.get t.state in
  (not seen.closed)
  &&
  let fibers = By_rank.add (rank, seen.arrivals) k seen.fibers in
  let next = { seen with fibers; arrivals = seen.arrivals + 1 } in
  Atomic.compare_and_set t.state seen next || arrive t ~rank k

let check ~call t = Option.iter (Vproc.check ~call) t.place

let check_fiber ~call t k =
  Option.iter (fun vproc -> Vproc.check_fiber ~call vproc k) t.place

let add t ~rank k =
  check_fiber ~call:"Shared_queue.add" t k;
  if not (arrive t ~rank k) then Core.release k
  else if not (wake_for t k) then preempt_for t ~rank k

let leave t =
  match t.most with
  | None -> ()
  | Some most ->
      update t (fun state ->
          if state.places = most then
            invalid_arg "Sched.Shared_queue.leave: no place is taken";
          { state with places = state.places + 1 });
      wake t

(* {1 Taking} *)

let rec take_opt t vproc =
  let seen = Atomic.get t.state in
  match first seen vproc with
  | None -> None
  | Some (((rank, _) as key), k) ->
      let fibers = By_rank.remove key seen.fibers in
      let places = if t.most <> None then seen.places - 1 else seen.places in
      if Atomic.compare_and_set t.state seen { seen with fibers; places } then
        Some (rank, k)
      else take_opt t vproc

let note t vproc rank =
  match
    List.find_opt (fun (v, _) -> Vproc.equal v vproc) (Atomic.get t.served)
  with
  | Some (_, running) -> running := rank
  | None -> ()

let wait t vproc =
  Dromos_suspend.suspend ~reason:"Shared_queue.run_next" (fun resume ->
      let me = { Sleepers.vproc; resume } in
      let rec register () =
        let seen = Atomic.get t.state in
        if could_take seen vproc then Some ()
        else
          let next = { seen with hungry = me :: seen.hungry } in
          if Atomic.compare_and_set t.state seen next then None else register ()
      in
      register ())

(* The vproc is asked for each time: a scheduler below may move an instance that
   waits. *)
let rec run_next ?(woken = false) t action =
  let vproc = Vproc.host () in
  match take_opt t vproc with
  | Some (rank, k) ->
      note t vproc rank;
      if woken && Option.is_some (Core.only_on k) then wake t;
      Core.run (action ()) k
  | None -> (
      note t vproc least;
      if woken then wake t;
      match wait t vproc with
      | () -> run_next ~woken:true t action
      | exception Cancel.Cancelled -> Core.stop)

let run_next t action = run_next t action

(* {1 Ends} *)

let rec close t =
  let seen = Atomic.get t.state in
  let next = { seen with fibers = By_rank.empty; hungry = []; closed = true } in
  if Atomic.compare_and_set t.state seen next then
    By_rank.iter (fun _ k -> Core.release k) seen.fibers
  else close t

let attach ~name ?vprocs ?under ?give t instance body =
  let vprocs = match vprocs with Some l -> l | None -> Vproc.all () in
  t.place <- List.nth_opt vprocs 0;
  let left = Atomic.make (List.length vprocs) in
  Atomic.set t.served (List.map (fun vproc -> (vproc, ref least)) vprocs);
  let ends _ = if Atomic.fetch_and_add left (-1) = 1 then close t in
  Attached.run ~name ~vprocs ?under ~ends ?give (fun _ -> instance ()) body
