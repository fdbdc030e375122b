module Event = Dromos_sync.Event
module Runtime = Dromos.Runtime

(* {1 Tasks} *)

type 'a task = {
  promise : 'a Lwt.t;
  event : (unit -> bool) Event.t;
  started : (unit -> bool) -> unit;
}

(* What is cancelled is over for Lwt at once: what comes of it is not looked at. *)
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

(* Lwt's domain is one of the machine's too. *)
let default_workers () =
  match Sys.getenv_opt "DROMOS_WORKERS" with
  | Some text when text <> "" -> None
  | Some _ | None -> Some (Int.max 1 (Dromos.default_workers () - 1))

(* Lwt has one thread at a time, so no two make one at once. *)
let the_default = Atomic.make None

let default () =
  match Atomic.get the_default with
  | Some runtime when not (Runtime.is_stopped runtime) -> runtime
  | Some _ | None ->
      let workers = default_workers () in
      let runtime = Runtime.create ~name:"lwt" ?workers () in
      Atomic.set the_default (Some runtime);
      runtime
