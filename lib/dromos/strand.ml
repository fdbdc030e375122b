open Dromos_fiber

(* A turn is the one permit of a semaphore; the semaphore's wait queue has the order. *)

module Once = Dromos_sync.Author.Once
module Event = Dromos_sync.Author.Event
module Lock_watch = Dromos_sync.Author.Lock_watch
module Owner = Dromos_sync.Author.Owner
module Semaphore = Dromos_sync.Semaphore
module Wait_graph = Dromos_sync.Author.Wait_graph
module Waiter = Dromos_sync.Author.Waiter

type t = {
  turn : Semaphore.t;
  name : string option;
  mutable owner : Owner.t; (* the task with the turn; see [Owner] *)
}

let create ?name () =
  let line = Option.fold name ~none:"a strand" ~some:(( ^ ) "strand ") in
  { turn = Semaphore.create ~name:line ~max:1 1; name; owner = Owner.nobody }

let refuse_itself call t =
  let self = Owner.self () in
  if Owner.is t.owner self then Owner.waits_for_itself call t.name self

(* Calls [wait ()], which waits for the turn, with the wait in the graph of waits. *)
let in_graph call t wait =
  let reason = Event.reason call t.name and owner () = t.owner in
  Wait_graph.waiting (Owner.self ()) { reason; owner } wait

type Lock_watch.id += Strand of t

let watched t =
  let is = function Strand other -> other == t | _ -> false in
  { Lock_watch.id = Strand t; is; owner = (fun () -> t.owner) }

(* Calls [f] with the turn, which [over] gives back. *)
let hold t ~over f =
  let self = Owner.self () in
  t.owner <- self;
  let finish () =
    t.owner <- Owner.nobody;
    Lock_watch.frees self watched t;
    over ()
  in
  match f () with
  | v ->
      finish ();
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      finish ();
      Printexc.raise_with_backtrace e bt

let run_as call ?timeout t f =
  Dromos_service.Stack_room.ensure 3;
  if not (Semaphore.try_acquire t.turn) then begin
    refuse_itself call t;
    let self = Owner.self () in
    let acquire () = Semaphore.acquire ?timeout t.turn in
    Lock_watch.waiting self watched t (fun () ->
        if timeout = None then in_graph call t acquire else acquire ();
        t.owner <- self)
  end;
  hold t f ~over:(fun () -> Semaphore.release t.turn)

let run ?timeout t f = run_as "Strand.run" ?timeout t f

(* {1 Functions in line} *)

(* A task that is cancelled before it begins runs no code, so a listener of the
   scope's cancellation gives its place back. The stage of a place:

   In_line --- the task begins -----------------------> Begun
   In_line --- the scope is cancelled before ---------> Left *)
type stage = In_line | Begun | Left

type place = {
  strand : t;
  turn_has_come : unit Once.t;
  stage : stage Atomic.t;
  leave : unit -> bool; (* leaves the line; [false] if the turn has come *)
  over : unit -> unit; (* called once, when the place is given up *)
}

let give_back { strand; over; _ } =
  Semaphore.release strand.turn;
  over ()

let leave place = if place.leave () then place.over () else give_back place

let withdraw place =
  if Atomic.compare_and_set place.stage In_line Left then leave place

let line_up strand ~over =
  let turn_has_come = Once.create () in
  let leave =
    Event.start (Semaphore.acquire_event strand.turn) (fun _ ->
        ignore (Once.close turn_has_come () : bool))
  in
  { strand; turn_has_come; stage = Atomic.make In_line; leave; over }

let wait_for_turn call { strand; turn_has_come; _ } =
  if not (Once.is_closed turn_has_come) then begin
    refuse_itself call strand;
    let reason = Event.reason call strand.name in
    in_graph call strand (fun () ->
        Waiter.wait (Event.once_source ~reason turn_has_come Result.ok))
  end

(* Called by the task: waits for the turn, and runs [f]. *)
let begin_ call place f =
  if not (Atomic.compare_and_set place.stage In_line Begun) then
    raise Cancel.Cancelled;
  (match wait_for_turn call place with
  | () -> ()
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      leave place;
      Printexc.raise_with_backtrace e bt);
  hold place.strand f ~over:(fun () -> give_back place)

let async_as call ?name t ~over f =
  Dromos_service.Stack_room.ensure 3;
  let fiber = Fiber.current () in
  let place = line_up t ~over in
  let node = fiber.scope.scope_node in
  let listener = Once.listen node (fun _ -> withdraw place) in
  if listener == Once.nobody then withdraw place;
  let task () =
    Once.leave listener;
    begin_ call place f
  in
  match Scope.task ?name task with
  | promise -> promise
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Once.leave listener;
      withdraw place;
      Printexc.raise_with_backtrace e bt

let in_run call =
  if Fiber.current () == Fiber.nobody then Misplaced.no_fiber ("Dromos." ^ call)

let async ?name t f =
  let call = "Strand.async" in
  in_run call;
  async_as call ?name t ~over:ignore f

(* {1 By keys} *)

module Keyed = struct
  module By_hash = Map.Make (Int)

  type strand = t

  let strand name : strand = create ?name ()

  type 'key entry = { key : 'key; strand : strand; users : int }

  (* The entries, by the hash of their keys, in several words, so that two calls
     rarely change the same word. *)
  type 'key t = {
    words : 'key entry list By_hash.t Atomic.t array;
    places : Semaphore.t option; (* [max] *)
    name : string option;
  }

  let create ?name ?max () =
    (match max with
    | Some max when max < 1 ->
        invalid_arg
          (Printf.sprintf "Strand.Keyed.create: ~max:%d is not positive" max)
    | Some _ | None -> ());
    let places = Option.map (fun max -> Semaphore.create ?name ~max max) max in
    let word _ = Atomic.make By_hash.empty in
    { words = Array.init 64 word; places; name }

  (* Changes the entries with this hash. *)
  let rec change word hash f =
    let seen = Atomic.get word in
    let entries = Option.value (By_hash.find_opt hash seen) ~default:[] in
    let result, entries = f entries in
    let next =
      match entries with
      | [] -> By_hash.remove hash seen
      | _ -> By_hash.add hash entries seen
    in
    if Atomic.compare_and_set word seen next then result else change word hash f

  let change t key f =
    let hash = Hashtbl.hash key in
    let mine entry = compare entry.key key = 0 in
    change
      t.words.(hash land (Array.length t.words - 1))
      hash
      (fun entries ->
        let same, others = List.partition mine entries in
        let result, kept = f same in
        (result, kept @ others))

  let enter t key =
    let fresh = strand t.name in
    change t key (function
      | entry :: _ -> (entry.strand, [ { entry with users = entry.users + 1 } ])
      | [] -> (fresh, [ { key; strand = fresh; users = 1 } ]))

  let leave t key =
    change t key (function
      | ({ users; _ } as entry) :: _ when users > 1 ->
          ((), [ { entry with users = users - 1 } ])
      | _ -> ((), []))

  let placed t f =
    match t.places with
    | None -> f ()
    | Some places -> Semaphore.with_permit places f

  let async ?name t key f =
    let call = "Strand.Keyed.async" in
    in_run call;
    Dromos_service.Stack_room.ensure 3;
    let strand = enter t key in
    let over () = leave t key in
    async_as call ?name strand ~over (fun () -> placed t f)

  let run ?timeout t key f =
    Dromos_service.Stack_room.ensure 3;
    let strand = enter t key in
    Fun.protect
      ~finally:(fun () -> leave t key)
      (fun () ->
        run_as "Strand.Keyed.run" ?timeout strand (fun () -> placed t f))

  let length t =
    let count word =
      By_hash.fold (fun _ l n -> n + List.length l) (Atomic.get word) 0
    in
    Array.fold_left (fun n word -> n + count word) 0 t.words
end
