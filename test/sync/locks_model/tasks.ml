open Effect.Deep
module Atomic = Dscheck.TracedAtomic

exception Cancelled

type state = Active | Waiting of { give_up : unit -> unit } | Doomed
type t = { id : int; state : state Atomic.t }

let resume_now = ref true
let later : (unit -> unit) list ref = ref []
let waiting = ref 0
let last_id = ref 0
let wrong : exn option ref = ref None

let reset ~now =
  resume_now := now;
  later := [];
  waiting := 0;
  last_id := 0;
  wrong := None

let asleep () =
  Option.iter raise !wrong;
  !waiting

let make () =
  incr last_id;
  { id = !last_id; state = Atomic.make Active }

let go_on f = if !resume_now then f () else later := !later @ [ f ]

let rec drain () =
  match !later with
  | [] -> ()
  | f :: rest ->
      later := rest;
      f ();
      drain ()

let no_backtrace = Printexc.get_callstack 0

(* Runs [block] and its task, like lib/fifo. *)
let suspended task ~shielded block k =
  let decided = Atomic.make false in
  let decide () =
    let first = Atomic.compare_and_set decided false true in
    if first then decr waiting;
    first
  in
  let resumer result =
    let first = decide () in
    if first then
      go_on (fun () ->
          (match Atomic.get task.state with
          | Waiting _ as state ->
              ignore (Atomic.compare_and_set task.state state Active)
          | Active | Doomed -> ());
          match result with
          | Ok v -> continue k v
          | Error (e, bt) -> discontinue_with_backtrace k e bt);
    first
  in
  let give_up () = ignore (resumer (Error (Cancelled, no_backtrace))) in
  incr waiting;
  match block resumer with
  | Some v ->
      ignore (decide () : bool);
      continue k v
  | None when shielded -> ()
  | None ->
      if not (Atomic.compare_and_set task.state Active (Waiting { give_up }))
      then if Atomic.get task.state = Doomed then give_up ()

let handler task =
  let effc (type a) : a Effect.t -> ((a, unit) continuation -> unit) option =
    function
    | Dromos_suspend.Self -> Some (fun k -> continue k task.id)
    | Dromos_suspend.Shielded block ->
        Some (suspended task ~shielded:true block)
    | Dromos_suspend.Suspend block ->
        Some
          (fun k ->
            match Atomic.get task.state with
            | Doomed -> discontinue k Cancelled
            | Active | Waiting _ -> suspended task ~shielded:false block k)
    | _ -> None
  in
  let exnc = function
    | Cancelled -> ()
    | e -> if !wrong = None then wrong := Some e
  in
  { retc = Fun.id; exnc; effc }

let thread f () =
  f ();
  drain ()

let run task f = thread (fun () -> match_with f () (handler task))

let cancel task =
  match Atomic.exchange task.state Doomed with
  | Waiting { give_up } -> give_up ()
  | Active | Doomed -> ()
