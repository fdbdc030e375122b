open Dromos_fiber
module Event = Dromos_sync.Author.Event
module Line = Dromos_sync.Author.Line
module Lock_watch = Dromos_sync.Author.Lock_watch
module Once = Dromos_sync.Author.Once
module Owner = Dromos_sync.Author.Owner
module Semaphore = Dromos_sync.Semaphore
module Wait_graph = Dromos_sync.Author.Wait_graph

(* {1 Turns} *)

(* The stage of a place in line:

   In_line --- the thread that ends a turn ------------> Turn
   In_line --- the scope, or the wait, is cancelled ---> Left *)
type stage = In_line | Turn | Left

type place = {
  stage : stage Atomic.t;
  mutable go : unit -> unit;
      (* called once the turn has come; neither waits nor raises. Written before
         the place is in line *)
  mutable listener : exn Once.listener;
      (* of the cancellation of a function's scope; written before the place is in
         line *)
}

(* One word: whether a function has the turn, and the places behind it. *)
type state = Free | Taken of place Line.t

type t = {
  state : state Atomic.t;
  name : string option;
  mutable owner : Owner.t; (* the task with the turn; see [Owner] *)
}

let create ?name () = { state = Atomic.make Free; name; owner = Owner.nobody }
let gone place = Atomic.get place.stage = Left
let place go = { stage = Atomic.make In_line; go; listener = Once.nobody }

let try_take t =
  Atomic.get t.state == Free
  && Atomic.compare_and_set t.state Free (Taken Line.empty)

(* [true]: the caller has the turn, and the place is in no line. *)
let rec take_or_line_up t place =
  match Atomic.get t.state with
  | Free -> try_take t || take_or_line_up t place
  | Taken line as seen ->
      let next = Taken (Line.push ~gone line place) in
      if Atomic.compare_and_set t.state seen next then false
      else take_or_line_up t place

(* Ends a turn: passes the turn on to the first place. *)
let rec pass_on t =
  match Atomic.get t.state with
  | Free -> ()
  | Taken line as seen -> (
      let replace next = Atomic.compare_and_set t.state seen next in
      match Line.view ~gone line with
      | Nobody -> if not (replace Free) then pass_on t
      | Again line ->
          ignore (replace (Taken line) : bool);
          pass_on t
      | First (place, line) ->
          if
            replace (Taken line)
            && Atomic.compare_and_set place.stage In_line Turn
          then begin
            Once.leave place.listener;
            place.go ()
          end
          else pass_on t)

let leaves place = Atomic.compare_and_set place.stage In_line Left

(* {1 Functions with a turn} *)

let refuse_itself call t =
  let self = Owner.self () in
  if Owner.is t.owner self then Owner.waits_for_itself call t.name self

type Lock_watch.id += Strand of t

let watched t =
  let is = function Strand other -> other == t | _ -> false in
  { Lock_watch.id = Strand t; is; owner = (fun () -> t.owner) }

(* Calls [f] with the turn, which stays with the caller. *)
let hold t f =
  let self = Owner.self () in
  t.owner <- self;
  let finish () =
    t.owner <- Owner.nobody;
    Lock_watch.frees self watched t
  in
  match f () with
  | v ->
      finish ();
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      finish ();
      Printexc.raise_with_backtrace e bt

(* {1 Callers that wait} *)

(* Calls [wait ()], which waits for the turn, with the wait in the graph of waits. *)
let in_graph call t wait =
  let reason = Event.reason call t.name and owner () = t.owner in
  Wait_graph.waiting (Owner.self ()) { reason; owner } wait

(* Lines up, and waits for the turn. *)
let wait_in_line call ?timeout t =
  let come = Once.create () in
  let place = place (fun () -> ignore (Once.close come () : bool)) in
  if not (take_or_line_up t place) then
    let reason = Event.reason call t.name in
    match Event.wait ?timeout (Event.once_source ~reason come Result.ok) with
    | () -> ()
    | exception e ->
        let bt = Printexc.get_raw_backtrace () in
        if not (leaves place) then pass_on t;
        Printexc.raise_with_backtrace e bt

let run_as call ?timeout t f =
  Dromos_service.Stack_room.ensure 3;
  if not (try_take t) then begin
    refuse_itself call t;
    let self = Owner.self () in
    let acquire () = wait_in_line call ?timeout t in
    Lock_watch.waiting self watched t (fun () ->
        if timeout = None then in_graph call t acquire else acquire ();
        t.owner <- self)
  end;
  match hold t f with
  | v ->
      pass_on t;
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      pass_on t;
      Printexc.raise_with_backtrace e bt

let run ?timeout t f = run_as "Strand.run" ?timeout t f

(* {1 Functions in line} *)

(* A function in line is no task for the hub yet, so that a long line takes little
   memory. A listener of the scope's cancellation makes the function leave the line:
   the task then begins, finds itself cancelled, and does not run the function. *)
let line_up call ?name t ~over f =
  let place = place ignore in
  let[@warning "-unused-rec-flag"] rec finish () =
    if Atomic.get place.stage = Turn then pass_on t;
    over ()
  and code () =
    if gone place then raise Cancel.Cancelled;
    hold t f
  in
  let reason = Event.reason call t.name in
  let promise, publish = Scope.task_later ?name ~reason ~over:finish code in
  let withdraw _ = if leaves place then publish () in
  place.go <- publish;
  match
    let node = (Fiber.current ()).scope.scope_node in
    place.listener <- Once.listen node withdraw;
    take_or_line_up t place
  with
  | false ->
      if place.listener == Once.nobody then withdraw Cancel.Cancelled;
      promise
  | true ->
      (* The turn came at once: the place is in no line. *)
      if Atomic.compare_and_set place.stage In_line Turn then begin
        Once.leave place.listener;
        publish ()
      end
      else pass_on t;
      promise
  | exception e ->
      (* An asynchronous exception: a signal handler raised. *)
      let bt = Printexc.get_raw_backtrace () in
      withdraw e;
      Printexc.raise_with_backtrace e bt

let async_as call ?name t ~over f =
  Dromos_service.Stack_room.ensure 3;
  if try_take t then begin
    let over () =
      pass_on t;
      over ()
    in
    Scope.task_with ?name ~over (fun () -> hold t f)
  end
  else line_up call ?name t ~over f

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
