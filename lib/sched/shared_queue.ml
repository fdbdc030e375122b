open Dromos_fiber

module By_rank = Map.Make (struct
  type t = int * int (* rank, number of the arrival *)

  let compare (a, i) (b, j) =
    match Int.compare a b with 0 -> Int.compare i j | order -> order
end)

module By_arrival = Map.Make (Int)

type state = {
  fibers : Core.fiber By_rank.t;
  reranked : int By_arrival.t;
      (** the current rank, by arrival, of fibers in [fibers] whose rank has
          changed since {!Place} was written *)
  arrivals : int;  (** fibers added so far *)
  places : int;  (** free places *)
  hungry : Sleepers.sleeper list;
      (** waiting instances; a cancelled instance stays in the list *)
  closed : bool;
}

(* An instance that could take a fiber does not wait, unless a thread has woken the
   instance: [wake] follows each change that makes more fibers or places available,
   and [wait] looks again before it waits. *)
type t = {
  most : int option;  (** all places, free or taken *)
  mutable place : Vproc.t option;
      (** the vproc of one instance, by which {!check} knows the run of the
          queue. Set before the first instance starts *)
  state : state Atomic.t;
  served : server list Atomic.t;  (** one record for each instance *)
}

(* The fiber that an instance runs, for the choice of the vproc to preempt. The
   fields are read without synchronisation, and may be out of date. *)
and server = {
  on : Vproc.t;
  mutable runs : Core.fiber option;
      (** the last fiber taken; plain, written by the instance *)
  mutable at_rank : int;
      (** the fiber's rank, [least] without a fiber; plain, written by the
          instance and by [set_rank] *)
}

let least = min_int

let create ?places () =
  let free = Option.value places ~default:1 in
  Saturating.positive ~call:"Sched.Shared_queue.create" "places" free;
  let state =
    {
      fibers = By_rank.empty;
      reranked = By_arrival.empty;
      arrivals = 0;
      places = free;
      hungry = [];
      closed = false;
    }
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

(* The fiber that the vproc would take. *)
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

(* Wakes instances that could take some fiber. Two kinds of woken instances call
   [wake] for the others:
   - an instance that finds no fiber: the fiber of its wake-up may have gone to a
     second instance, which was woken for a fiber that only a third can take;
   - an instance that takes a fiber bound to its vproc: the fiber of its wake-up is
     usually still there. *)
let wake t = ignore (wake_some t ~able:could_take : bool)

(* Wakes instances for the fiber [k] only. Instances for the other fibers of the
   queue may be on their way. *)
let wake_for t k =
  wake_some t ~able:(fun state vproc -> state.places > 0 && may_run vproc k)

(* Preempts, of the vprocs that may run the fiber, the vproc with the greatest rank,
   if that rank is greater than the fiber's. *)
let preempt_for t ~rank k =
  let worse best server =
    let bar = match best with Some { at_rank; _ } -> at_rank | None -> rank in
    if server.at_rank > bar && may_run server.on k then Some server else best
  in
  match List.fold_left worse None (Atomic.get t.served) with
  | Some { on; _ } -> Vproc.preempt on
  | None -> ()

let rec update t change =
  let seen = Atomic.get t.state in
  if not (Atomic.compare_and_set t.state seen (change seen)) then
    update t change

(* [false] if the queue is closed. The check of [closed] is part of the same step: a
   thread that closes the queue afterwards gets the fiber. *)
let rec arrive t ~rank k =
  let seen = Atomic.get t.state in
  (not seen.closed)
  &&
  let place = (rank, seen.arrivals) in
  Place.set k place;
  let fibers = By_rank.add place k seen.fibers in
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
  | Some (((rank, arrival) as key), k) ->
      let fibers = By_rank.remove key seen.fibers in
      let reranked = By_arrival.remove arrival seen.reranked in
      let places = if t.most <> None then seen.places - 1 else seen.places in
      let next = { seen with fibers; reranked; places } in
      if Atomic.compare_and_set t.state seen next then Some (rank, k)
      else take_opt t vproc

let note t vproc rank runs =
  match
    List.find_opt (fun { on; _ } -> Vproc.equal on vproc) (Atomic.get t.served)
  with
  | Some server ->
      server.runs <- runs;
      server.at_rank <- rank
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

(* [run_next] asks for the vproc each time: a scheduler below that ignores
   [Core.only_on] may move an instance while it waits. *)
let rec run_next ?(woken = false) t action =
  let vproc = Vproc.host () in
  match take_opt t vproc with
  | Some (rank, k) ->
      note t vproc rank (Some k);
      if woken && Option.is_some (Core.only_on k) then wake t;
      Core.run (action ()) k
  | None -> (
      note t vproc least None;
      if woken then wake t;
      match wait t vproc with
      | () -> run_next ~woken:true t action
      | exception Cancel.Cancelled -> Core.stop)

let run_next t action = run_next t action

(* {1 Ranks} *)

(* The present key of a fiber in the queue. The place that was read may be old, if
   the fiber was taken and added again meanwhile: the fiber is then not there. *)
let find state k =
  let ((_, arrival) as place) = Place.get k in
  let key =
    match By_arrival.find_opt arrival state.reranked with
    | Some rank -> (rank, arrival)
    | None -> place
  in
  match By_rank.find_opt key state.fibers with
  | Some found when Place.same found k -> Some (key, found)
  | Some _ | None -> None

let arrival k = snd (Place.get k)

let rank t k =
  Option.map (fun ((rank, _), _) -> rank) (find (Atomic.get t.state) k)

(* Sets the rank of a fiber that runs, or is on its way. If the fiber counts for less
   now, the first fiber of the queue may preempt the fiber. *)
let set_running t k ~rank =
  let runs { runs; _ } =
    match runs with None -> false | Some other -> Place.same k other
  in
  match List.find_opt runs (Atomic.get t.served) with
  | None -> ()
  | Some server -> (
      server.at_rank <- rank;
      match first (Atomic.get t.state) server.on with
      | Some ((best, _), _) when best < rank -> Vproc.preempt server.on
      | Some _ | None -> ())

(* Wakes no instance: the same instances could take the fiber before the change. *)
let rec set_rank t k ~rank =
  let seen = Atomic.get t.state in
  match find seen k with
  | None ->
      set_running t k ~rank;
      false
  | Some ((before, _), _) when before = rank -> true
  | Some (((before, arrival) as key), found) ->
      let fibers = By_rank.remove key seen.fibers in
      let fibers = By_rank.add (rank, arrival) found fibers in
      let reranked = By_arrival.add arrival rank seen.reranked in
      if Atomic.compare_and_set t.state seen { seen with fibers; reranked } then begin
        if rank < before then preempt_for t ~rank found;
        true
      end
      else set_rank t k ~rank

(* {1 Ends} *)

let rec close t =
  let seen = Atomic.get t.state in
  let next =
    {
      seen with
      fibers = By_rank.empty;
      reranked = By_arrival.empty;
      hungry = [];
      closed = true;
    }
  in
  if Atomic.compare_and_set t.state seen next then
    By_rank.iter (fun _ k -> Core.release k) seen.fibers
  else close t

let attach ~name ?vprocs ?under ?give t instance body =
  let vprocs = match vprocs with Some l -> l | None -> Vproc.all () in
  t.place <- List.nth_opt vprocs 0;
  let left = Atomic.make (List.length vprocs) in
  Atomic.set t.served
    (List.map (fun on -> { on; runs = None; at_rank = least }) vprocs);
  let ends _ = if Atomic.fetch_and_add left (-1) = 1 then close t in
  Attached.run ~name ~vprocs ?under ~ends ?give (fun _ -> instance ()) body
