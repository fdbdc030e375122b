type 'a outcome = ('a, exn * Printexc.raw_backtrace) result

(* States of a select ([choice]). The thread that registers the select writes
   the steps marked "=" plainly; the other steps are compare-and-sets.

     Busy_choice         --offer, ready-->  Marked
     Marked              ==settle==>        Busy_choice
     Busy_choice, Marked ==settle==>        Chosen, an operation was possible
     Busy_choice         --settle-->        Asleep, no operation was possible
     Asleep              --offer-->         Chosen, an offer was accepted
     all but Chosen      --leave-->         Left

   The select of a plain operation begins [Asleep]. Before its waiter is in a
   queue, [wait_for] may write [Chosen] (the operation is possible after all) or
   [Busy_choice] (the operation met a registering select).

   [Busy_choice], [Marked] and [Asleep] are constant constructors, because
   compare-and-set compares addresses of blocks. [Chosen] and [Left] are
   final. *)
type 'c state =
  | Busy_choice
    (* registering: the waiters are being enlisted and the operations tried *)
  | Marked
    (* registering, and a giver has passed since the operations were last
       tried *)
  | Asleep
  | Chosen of { branch : int; by_cell : bool; mutable result : unit -> 'c }
  | Left

type token = unit ref

(* [wake] is written before any queue holds a waiter ([Cell]) of the select, so
   a thread that finds a waiter sees [wake]. The task resets [wake] when the
   wait is over. A giver that still reads the old function calls a resumer that
   was called before, without effect. *)
type 'c choice = {
  state : 'c state Atomic.t;
  token : token;
  plain : bool; (* the select of a plain operation *)
  mutable wake : unit -> unit;
  mutable undo : (unit -> unit) list;
      (* withdraw the waiters; written before the select is asleep *)
}

(* [finish] is reset after the wait, because the waiter may stay in its queue
   for a while. *)
type _ t =
  | Cell : {
      choice : 'c choice;
      branch : int;
      mutable finish : 'a outcome -> 'c;
    }
      -> 'a t

type answer = Taken | Gone | Busy

let nobody = ref ()

let rec offer : type a. self:token -> a t -> a outcome -> answer =
 fun ~self (Cell cell) outcome ->
  let { state; token; _ } = cell.choice in
  match Atomic.get state with
  | Chosen _ | Left -> Gone
  | Marked -> Busy
  | Busy_choice ->
      if token == self || Atomic.compare_and_set state Busy_choice Marked then
        Busy
      else offer ~self (Cell cell) outcome
  | Asleep ->
      let finish = cell.finish in
      let result () = finish outcome in
      let chosen = Chosen { branch = cell.branch; by_cell = true; result } in
      if Atomic.compare_and_set state Asleep chosen then begin
        cell.choice.wake ();
        Taken
      end
      else offer ~self (Cell cell) outcome

let rec ready : type a. self:token -> a t -> bool =
 fun ~self (Cell { choice = { state; token; _ }; _ } as cell) ->
  match Atomic.get state with
  | Asleep -> true
  | Chosen _ | Left | Marked -> false
  | Busy_choice ->
      if token == self || Atomic.compare_and_set state Busy_choice Marked then
        false
      else ready ~self cell

let gone (type a) (Cell { choice; _ } : a t) =
  match Atomic.get choice.state with
  | Chosen _ | Left -> true
  | Busy_choice | Marked | Asleep -> false

let is_of (type a) ~self (Cell { choice; _ } : a t) = choice.token == self
let plain (type a) (Cell { choice; _ } : a t) = choice.plain

let won (type a) (Cell { choice; branch; _ } : a t) =
  match Atomic.get choice.state with
  | Chosen chosen -> chosen.by_cell && chosen.branch = branch
  | Busy_choice | Marked | Asleep | Left -> false

let left (type a) (Cell { choice; branch; _ } : a t) =
  match Atomic.get choice.state with
  | Chosen chosen -> not (chosen.by_cell && chosen.branch = branch)
  | Left -> true
  | Busy_choice | Marked | Asleep -> false

let served : unit t =
  let state =
    Atomic.make (Chosen { branch = 0; by_cell = true; result = ignore })
  in
  let choice =
    { state; token = nobody; plain = true; wake = ignore; undo = [] }
  in
  Cell { choice; branch = 0; finish = ignore }

(* {1 Waiting} *)

type 'a attempt = Done of 'a outcome | Enlisted | Nothing

type 'a source = {
  attempt : self:token -> 'a t option -> 'a attempt;
  enlist : 'a t -> unit -> unit;
  reason : string;
}

type 'c branch = Branch : 'a source * ('a outcome -> 'c) -> 'c branch

let deliver = function
  | Ok v -> v
  | Error (e, bt) -> Printexc.raise_with_backtrace e bt

(* The order in which the branches are tried is a random rotation, each with
   equal chance. The generator belongs to the domain, so that programs that seed
   [Random] get the numbers they expect. *)
let seed = Domain.DLS.new_key (fun () -> ref ((Domain.self () :> int) + 1))

let rotation n =
  if n < 2 then 0
  else begin
    let seed = Domain.DLS.get seed in
    let x = !seed in
    let x = x lxor (x lsl 13) in
    let x = x lxor (x lsr 7) in
    let x = x lxor (x lsl 17) in
    seed := x;
    x land max_int mod n
  end

let try_all ~self branches =
  let n = Array.length branches in
  let first = rotation n in
  let rec go i =
    if i = n then None
    else
      let k = (first + i) mod n in
      let (Branch (source, finish)) = branches.(k) in
      match source.attempt ~self None with
      | Done outcome -> Some (k, fun () -> finish outcome)
      | Enlisted | Nothing -> go (i + 1)
  in
  go 0

let poll branches =
  Dromos_service.Stack_room.ensure 1;
  try_all ~self:nobody branches

let dropped _ = invalid_arg "Dromos_sync: a cell that was dropped"

let enlist_all choice branches =
  Array.iteri
    (fun branch (Branch (source, finish)) ->
      let (Cell fields as cell) = Cell { choice; branch; finish } in
      let withdraw = source.enlist cell in
      let undo () =
        fields.finish <- dropped;
        withdraw ()
      in
      choice.undo <- undo :: choice.undo)
    branches

(* While the select is registering, only this thread can decide it. *)
let rec settle choice branches backoff =
  match try_all ~self:choice.token branches with
  | Some (branch, result) ->
      Atomic.set choice.state (Chosen { branch; by_cell = false; result });
      true
  | None ->
      if Atomic.compare_and_set choice.state Busy_choice Asleep then false
      else begin
        let backoff = Backoff.once backoff in
        Atomic.set choice.state Busy_choice;
        settle choice branches backoff
      end

let enrol choice branches =
  enlist_all choice branches;
  settle choice branches Backoff.default

let make_choice ?(plain = false) state =
  { state = Atomic.make state; token = ref (); plain; wake = ignore; undo = [] }

(* Called by the task when it has read the decision, or after [leave]. Queues
   may keep the select's waiters for a while, so the waiters must keep nothing
   else reachable: not the task, the value given to the task, or the user's
   functions. *)
let forget choice =
  (match Atomic.get choice.state with
  | Chosen chosen -> chosen.result <- dropped
  | Busy_choice | Marked | Asleep | Left -> ());
  choice.wake <- ignore;
  List.iter (fun undo -> undo ()) choice.undo;
  choice.undo <- []

let result_of choice =
  match Atomic.get choice.state with
  | Chosen { branch; result; _ } -> (branch, result)
  | Busy_choice | Marked | Asleep | Left ->
      invalid_arg "Dromos_sync: a waiting task was woken by a stranger"

(* [true] if the select was undecided; no giver can decide it from now on. *)
let rec leave choice =
  match Atomic.get choice.state with
  | (Busy_choice | Marked | Asleep) as state ->
      Atomic.compare_and_set choice.state state Left || leave choice
  | Left -> true
  | Chosen _ -> false

(* Suspends until [choice] is decided. [block] enlists the waiters, and is
   [true] if the decision was made at once. *)
let sleep ?(shielded = false) ~reason choice block =
  let block resume =
    choice.wake <- (fun () -> ignore (resume (Ok ())));
    if block () then Some () else None
  in
  let suspend =
    if shielded then Dromos_suspend.suspend_shielded else Dromos_suspend.suspend
  in
  match suspend ~reason block with
  | () ->
      let decision = result_of choice in
      forget choice;
      decision
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      if leave choice then begin
        forget choice;
        Printexc.raise_with_backtrace e bt
      end
      else begin
        let decision = result_of choice in
        forget choice;
        decision
      end

let reason_of branches =
  let reason (Branch (source, _)) = source.reason in
  match branches with
  | [||] -> "Event.never"
  | [| branch |] -> reason branch
  | _ ->
      let reasons = Array.to_list (Array.map reason branches) in
      String.concat " or " (List.sort_uniq String.compare reasons)

let choose branches =
  Dromos_service.Stack_room.ensure 1;
  match poll branches with
  | Some decision -> decision
  | None ->
      let choice = make_choice Busy_choice in
      sleep ~reason:(reason_of branches) choice (fun () ->
          enrol choice branches)

(* The select of a plain operation is asleep before its waiter is in the
   queue. *)
let wait_for ?shielded source =
  let choice = make_choice ~plain:true Asleep in
  let (Cell fields as cell) = Cell { choice; branch = 0; finish = deliver } in
  let block () =
    match source.attempt ~self:nobody (Some cell) with
    | Enlisted -> false
    | Done outcome ->
        let result () = deliver outcome in
        Atomic.set choice.state (Chosen { branch = 0; by_cell = false; result });
        true
    | Nothing ->
        Atomic.set choice.state Busy_choice;
        enrol choice [| Branch (source, deliver) |]
  in
  let finish () = fields.finish <- dropped in
  match sleep ?shielded ~reason:source.reason choice block with
  | _, result ->
      finish ();
      result ()
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      finish ();
      Printexc.raise_with_backtrace e bt

let wait ?shielded source =
  Dromos_service.Stack_room.ensure 1;
  match source.attempt ~self:nobody None with
  | Done outcome -> deliver outcome
  | Enlisted | Nothing -> wait_for ?shielded source

let start branches f =
  Dromos_service.Stack_room.ensure 1;
  let choice = make_choice Busy_choice in
  let decided () =
    let decision = result_of choice in
    forget choice;
    f decision
  in
  choice.wake <- decided;
  if enrol choice branches then decided ();
  fun () ->
    let left = leave choice in
    if left then forget choice;
    left
