open Effect.Deep
open Dromos_suspend

type wait = {
  wait : 'a. ('a resumer -> 'a option) -> 'a;
  shield : 'a. (unit -> 'a) -> 'a;
}

let deliver = function
  | Ok v -> v
  | Error (e, bt) -> Printexc.raise_with_backtrace e bt

let until_woken ~wake ~await block =
  let outcome = Atomic.make None in
  let decide result = Atomic.compare_and_set outcome None (Some result) in
  let resumer result =
    let first = decide result in
    if first then wake ();
    first
  in
  match block resumer with
  | Some v -> v
  | None -> (
      Option.iter
        (fun cancelled -> ignore (decide (Error cancelled) : bool))
        (await ());
      match Atomic.get outcome with
      | Some result -> deliver result
      | None -> invalid_arg "Dromos_bridge: resumed without a result")

(* Keeps the backtrace; the standard library's [try_with] loses it. *)
external reraise : exn -> 'a = "%reraise"

let identity () =
  match Effect.perform Self with
  | id -> id
  | exception Effect.Unhandled Self -> fresh_id ()

(* [wait] runs in the handler, on the host's side of the captured task, where
   the host's effects suspend the task and the handler together. The task is
   continued in tail position, so a task that waits a million times uses no
   stack. *)
let suspended : type a b. (unit -> a) -> (a, b) continuation -> b =
 fun wait k ->
  match wait () with
  | v -> continue k v
  | exception e ->
      discontinue_with_backtrace k e (Printexc.get_raw_backtrace ())

let wrap ?id { wait; shield } f =
  let id = match id with Some id -> id | None -> identity () in
  let effc : type b. b Effect.t -> ((b, _) continuation -> _) option = function
    | Suspend block -> Some (suspended (fun () -> wait block))
    | Shielded block ->
        Some (suspended (fun () -> shield (fun () -> wait block)))
    | Self -> Some (fun k -> continue k id)
    | _ -> None
  in
  (* While the task runs, the task may wake tasks of Dromos. *)
  External.incr ();
  Fun.protect ~finally:External.decr (fun () ->
      match_with f () { retc = Fun.id; exnc = (fun e -> reraise e); effc })
