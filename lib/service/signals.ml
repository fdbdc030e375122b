(* OCaml's own (negative) numbers and the system's numbers. Real-time signals
   are left alone. *)
let all = List.init 29 (fun i -> -1 - i) @ List.init 31 succ

let mask how signals =
  match Thread.sigmask how signals with
  | old -> Some old
  | exception (Invalid_argument _ | Unix.Unix_error _ | Sys_error _) -> None

let initial = Option.value (mask SIG_BLOCK []) ~default:[]

type set = string

external current : unit -> set = "dromos_signals_current"

(* The handler of a pending signal runs at the next poll point. *)
external set : set -> unit = "dromos_signals_set" [@@noalloc]
external block_all : unit -> set = "dromos_signals_block_all"
external set_and_handle : set -> unit = "dromos_signals_set_and_handle"

(* [Fun.protect] does not fit: the handler of a pending signal raises in
   [restore], as soon as the signals are unblocked, and the caller must get this
   exception as it is. *)
let finally = Own_threads.finally

let blocked f =
  let before = block_all () in
  finally f (fun () -> set_and_handle before)

(* No poll point lies between [set] and the return. *)
let making f =
  let before = block_all () in
  finally (fun () -> Own_threads.making f) (fun () -> set before)

let protect mutex f =
  Mask.protect (fun () -> blocked (fun () -> Mutex.protect mutex f))

(* The handler of a pending signal may raise from the moment at which the
   signals are unblocked until they are blocked again. Such an exception counts
   as an exception of [f], not of the thread. *)
let restored f =
  let attempt f =
    match f () with
    | v -> Ok v
    | exception e -> Error (e, Printexc.get_raw_backtrace ())
  in
  let under_initial () =
    ignore (mask SIG_SETMASK initial);
    f ()
  in
  let rec block () =
    match attempt (fun () -> mask SIG_BLOCK all) with
    | Ok _ -> None
    | Error error ->
        ignore (block ());
        Some error
  in
  let result = attempt under_initial in
  match (result, block ()) with
  | Ok v, None -> v
  | Error (e, bt), _ | Ok _, Some (e, bt) -> Printexc.raise_with_backtrace e bt

(* {1 Threads that run tasks} *)

external serves : unit -> bool = "dromos_signals_serves" [@@noalloc]
external set_serves : bool -> unit = "dromos_signals_set_serves" [@@noalloc]

let serving mask f =
  let before = current () and outer = serves () in
  set_serves true;
  set mask;
  finally f (fun () ->
      set before;
      set_serves outer)

let elsewhere signal =
  ignore (mask SIG_BLOCK [ signal ] : int list option);
  Unix.kill (Unix.getpid ()) signal
