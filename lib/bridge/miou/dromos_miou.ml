module Trigger = Miou.Trigger

let () =
  Dromos_suspend.add_cancellation (function
    | Miou.Cancelled -> true
    | _ -> false)

(* Miou is woken through a pipe. The pipe may be closed by now: Miou's loop ends
   as soon as the woken task has ended. *)
let signal trigger = try Trigger.signal trigger with _ -> ()

(* Raises the exception of the cancellation, if any. A task that Miou has
   cancelled must not perform another effect of Miou: Miou would drop the
   continuation, and no finaliser would run. A task woken before the
   cancellation does not leave at once, so the check is needed at each
   effect. *)

let check ended =
  match !ended with
  | Some (e, bt) -> Printexc.raise_with_backtrace e bt
  | None -> ()

(* Performs an effect of Miou. *)
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

(* [id] is given: the effect that asks an outer [wrap] for its identity would
   end Miou if there is no outer [wrap]. *)
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

(* A task has to await, or cancel, each of its children. The serving task awaits
   its finished children whenever it starts another child. If a child is
   cancelled before it began, Miou never calls its function. All of this happens
   on one domain. *)

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
  (* Miou ends the children of a cancelled task. *)
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
