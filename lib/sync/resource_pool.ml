(* A place is a permit. A task with a place takes an idle resource, or makes one
   if none is idle: then all resources are with other tasks that have places. A
   returned resource becomes idle before its place becomes free. *)

type 'a idle = { resources : 'a list; (* last back first *) length : int }

type 'a t = {
  max : int;
  max_idle : int;
  check : 'a -> bool;
  make : unit -> 'a;
  dispose : 'a -> unit;
  places : Semaphore.t;
  idle : 'a idle Atomic.t;
  closed : unit Once.t;
  closing : unit Event.t;
  waiting : int Atomic.t;
  made : int Atomic.t;
  disposed : int Atomic.t;
}

exception Closed

let () =
  Printexc.register_printer (function
    | Closed -> Some "Dromos.Resource_pool.Closed"
    | _ -> None)

let none = { resources = []; length = 0 }

let create ?name ?max_idle ?(check = fun _ -> true) ~max ~make ~dispose () =
  let max_idle = Option.value max_idle ~default:max in
  if max < 1 || max_idle < 0 then
    invalid_arg
      (Printf.sprintf "Resource_pool.create ~max:%d ~max_idle:%d" max max_idle);
  let name = Option.fold name ~none:"a pool" ~some:(( ^ ) "pool ") in
  let closed = Once.create () in
  let reason = Event_core.reason "Semaphore.acquire" (Some name) in
  {
    max;
    max_idle;
    check;
    make;
    dispose;
    places = Semaphore.create ~name ~max max;
    idle = Atomic.make none;
    closed;
    closing = Event_core.of_once ~reason closed Result.ok;
    waiting = Atomic.make 0;
    made = Atomic.make 0;
    disposed = Atomic.make 0;
  }

let is_closed t = Once.is_closed t.closed

(* {1 Idle ones} *)

let rec pop t =
  let seen = Atomic.get t.idle in
  match seen.resources with
  | [] -> None
  | resource :: resources ->
      let next = { resources; length = seen.length - 1 } in
      if Atomic.compare_and_set t.idle seen next then Some resource else pop t

(* [false] if enough resources are idle. *)
let rec push t resource =
  let ({ resources; length } as seen) = Atomic.get t.idle in
  length < t.max_idle
  &&
  let next = { resources = resource :: resources; length = length + 1 } in
  Atomic.compare_and_set t.idle seen next || push t resource

let report e bt =
  if not (Dromos_suspend.is_cancellation e) then
    Dromos_service.Message.failure ~what:"dispose of a Resource_pool" e bt

let dispose t resource =
  (match t.dispose resource with
  | () -> ()
  | exception e -> report e (Printexc.get_raw_backtrace ()));
  Atomic.incr t.disposed

let rec dispose_of_idle t =
  match pop t with
  | None -> ()
  | Some resource ->
      dispose t resource;
      dispose_of_idle t

(* {1 Lending} *)

let enter ?timeout t =
  if is_closed t then raise Closed;
  if not (Semaphore.try_acquire t.places) then begin
    let place =
      Event.choose
        [
          Semaphore.acquire_event t.places;
          Event.wrap t.closing (fun () -> raise Closed);
        ]
    in
    let wait () =
      match timeout with
      | None -> Event.sync place
      | Some seconds -> (
          match Event.sync (Event.within seconds place) with
          | Some () -> ()
          | None -> raise Event.Timeout)
    in
    Atomic.incr t.waiting;
    Bracket.run wait (fun () -> Atomic.decr t.waiting)
  end;
  if is_closed t then begin
    Semaphore.release t.places;
    raise Closed
  end

let rec take t =
  match pop t with
  | None ->
      (* A closing task takes idle resources without having a place. *)
      if is_closed t then raise Closed;
      let resource = t.make () in
      Atomic.incr t.made;
      resource
  | Some resource -> (
      match t.check resource with
      | true -> resource
      | false ->
          dispose t resource;
          take t
      | exception e ->
          let bt = Printexc.get_raw_backtrace () in
          dispose t resource;
          if Dromos_suspend.is_cancellation e then
            Printexc.raise_with_backtrace e bt
          else take t)

(* The pool may be closed between the test and the push. The later of the two
   tasks sees the write of the other, and disposes of the resource. *)
let keep t resource =
  if is_closed t || not (push t resource) then dispose t resource
  else if is_closed t then dispose_of_idle t

let leave t = Semaphore.release t.places
let harmless reuse e = match reuse e with ok -> ok | exception _ -> false

let use ?timeout ?(reuse = fun _ -> false) t f =
  Dromos_service.Stack_room.ensure 3;
  enter ?timeout t;
  match take t with
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      leave t;
      Printexc.raise_with_backtrace e bt
  | resource -> (
      match f resource with
      | v ->
          keep t resource;
          leave t;
          v
      | exception e ->
          let bt = Printexc.get_raw_backtrace () in
          if harmless reuse e then keep t resource else dispose t resource;
          leave t;
          Printexc.raise_with_backtrace e bt)

let close ?timeout t =
  Dromos_service.Stack_room.ensure 3;
  ignore (Once.close t.closed () : bool);
  dispose_of_idle t;
  Semaphore.acquire ?timeout ~n:t.max t.places;
  Semaphore.release ~n:t.max t.places

type stats = {
  max : int;
  in_use : int;
  idle : int;
  waiting : int;
  made : int;
  disposed : int;
}

let stats (t : _ t) =
  {
    max = t.max;
    in_use = t.max - Semaphore.permits t.places;
    idle = (Atomic.get t.idle).length;
    waiting = Atomic.get t.waiting;
    made = Atomic.get t.made;
    disposed = Atomic.get t.disposed;
  }
