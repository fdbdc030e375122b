module Trigger = Miou.Trigger

let () =
  Dromos_suspend.add_cancellation (function
    | Miou.Cancelled -> true
    | _ -> false)

(* Miou is told through a pipe, which may be closed by then: its loop ends as soon as
   the task that this wakes has ended. *)
let signal trigger = try Trigger.signal trigger with _ -> ()

(* A task that Miou has told that it is cancelled must not perform one more effect of
   Miou's: its continuation is dropped there, and no finaliser runs. It may have been
   woken before that, and does not leave at once then. [ended] is the exception. *)

let check ended =
  match !ended with
  | Some (e, bt) -> Printexc.raise_with_backtrace e bt
  | None -> ()

(* An effect of Miou's. *)
let telling ended f =
  check ended;
  try f ()
  with e ->
    let bt = Printexc.get_raw_backtrace () in
    ended := Some (e, bt);
    Printexc.raise_with_backtrace e bt

let wait ended block =
  check ended;
  let trigger = Trigger.create () in
  Dromos_bridge.until_woken block
    ~wake:(fun () -> signal trigger)
    ~await:(fun () ->
      match telling ended (fun () -> Trigger.await trigger) with
      | cancelled -> cancelled
      | exception e -> Some (e, Printexc.get_raw_backtrace ()))

let shield f = f ()

(* Asking an outer [wrap] for its identity would be an effect that ends Miou where there
   is none. *)
let wrapping ended f =
  Dromos_bridge.wrap
    ~id:(Dromos_suspend.fresh_id ())
    { wait = (fun block -> wait ended block); shield }
    f

let wrap f = wrapping (ref None) f

(* {1 Both ways} *)

let crossing =
  Dromos_crossing.make ~name:"miou" ~inside:"Dromos_miou.in_miou"
    ~outside:"Dromos_miou.offload"

(* A task has to await, or cancel, each of its children: the one that serves awaits
   those that are over when it starts another. Miou never calls the function of one
   that is cancelled before it began. All of this happens on one domain. *)

type child = {
  promise : unit Miou.t;
  begun : bool ref;
  task : Dromos_crossing.task;
}

let drop { begun; task; _ } =
  if not !begun then begin
    begun := true;
    task.drop ()
  end

let within f =
  let ended = ref None in
  let children = Hashtbl.create 16 and over = Queue.create () in
  let last = ref 0 in
  let await { promise; _ } =
    telling ended (fun () -> ignore (Miou.await promise : (unit, exn) result))
  in
  let rec reap () =
    match Queue.peek_opt over with
    | None -> ()
    | Some n ->
        await (Hashtbl.find children n);
        Hashtbl.remove children n;
        ignore (Queue.pop over : int);
        reap ()
  in
  let fork task =
    reap ();
    incr last;
    let n = !last and begun = ref false in
    let body () =
      if not !begun then begin
        begun := true;
        wrap task.Dromos_crossing.run
      end;
      Queue.push n over
    in
    let promise = telling ended (fun () -> Miou.async body) in
    let child = { promise; begun; task } in
    Hashtbl.add children n child;
    fun () ->
      if Hashtbl.mem children n then begin
        drop child;
        telling ended (fun () -> Miou.cancel promise)
      end
  in
  let all f = Hashtbl.iter (fun _ child -> f child) children in
  let leave () = all drop in
  (* Miou ends the children of a task that it has cancelled. *)
  let finish () = if Option.is_none !ended then all await in
  match
    f
      {
        Dromos_crossing.wrap = (fun f -> wrapping ended f);
        shield;
        fork;
        leave = Some leave;
      }
  with
  | v ->
      finish ();
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      finish ();
      Printexc.raise_with_backtrace e bt

let offload ?pool f =
  within (fun host -> Dromos_crossing.offload crossing host ?pool f)

let in_miou f = Dromos_crossing.within_host crossing f
let default_pool () = wrap (fun () -> Dromos_crossing.default_pool crossing)
