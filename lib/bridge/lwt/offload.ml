module Event = Dromos_sync.Event
module Runtime = Dromos.Runtime

(* {1 Tasks} *)

type 'a task = {
  promise : 'a Lwt.t;
  event : (unit -> bool) Event.t;
  started : (unit -> bool) -> unit;
}

(* To Lwt, a cancelled task is over at once: the later result of the task is
   dropped. *)
let task loop runtime f =
  let cancel = ref (fun () -> true) and dropped = ref false in
  let drop () =
    dropped := !cancel ();
    !dropped
  in
  let promise, settle = Arrival.promise ~cancel:drop in
  let over outcome =
    let job () = if not !dropped then settle outcome in
    ignore (Loop.post loop job : bool)
  in
  let event = Runtime.start_event runtime f over in
  { promise; event; started = (fun found -> cancel := found) }

(* {1 Runtimes} *)

let keeper = Dromos_crossing.keeper ~name:"lwt"
let default () = Dromos_crossing.kept keeper
