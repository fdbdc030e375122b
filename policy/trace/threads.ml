type t = {
  subject : int array;
  next : int array;
  observed : int array;
  names : string array;
}

let idle = -1
let unknown = -2

(* True if the pids before the events can be used. An event also names the
   thread running on its CPU, but the pid may belong to another name space, as
   the switches show. *)
let currents_hold (trace : Trace.t) =
  let wrong = ref 0 and all = ref 0 in
  Array.iter
    (fun (e : Trace.event) ->
      match e.what with
      | Switch { prev; _ } ->
          incr all;
          if e.current >= 0 && e.current <> prev.pid then incr wrong
      | Wakeup _ | Waking _ | Migrate _ | Fork _ | Exit _ | Lost _ -> ())
    trace.events;
  !wrong * 100 <= !all

let of_trace (trace : Trace.t) =
  let n = Array.length trace.events in
  let subject = Array.make n idle and next = Array.make n idle in
  let observed = Array.make n unknown in
  let currents_hold = currents_hold trace in
  let known = Hashtbl.create 256 and ended = Hashtbl.create 64 in
  let names = Hashtbl.create 256 and count = ref 0 in
  let number ~fresh pid =
    match Hashtbl.find_opt known pid with
    | Some i when not (fresh && Hashtbl.mem ended pid) -> i
    | Some _ | None ->
        let i = !count in
        incr count;
        Hashtbl.replace known pid i;
        Hashtbl.remove ended pid;
        let comm =
          Option.value (Hashtbl.find_opt trace.names pid) ~default:""
        in
        Hashtbl.replace names i { Trace.pid; comm };
        i
  in
  let find ?(fresh = false) (task : Trace.task) =
    if task.pid = 0 then idle
    else begin
      let i = number ~fresh task.pid in
      Hashtbl.replace names i task;
      i
    end
  in
  Array.iteri
    (fun i (e : Trace.event) ->
      if currents_hold && e.current >= 0 then
        observed.(i) <-
          (if e.current = 0 then idle else number ~fresh:false e.current);
      match e.what with
      | Switch s ->
          subject.(i) <- find s.prev;
          observed.(i) <- subject.(i);
          next.(i) <- find s.next;
          if s.dead then Hashtbl.replace ended s.prev.pid ()
      | Wakeup { task; fresh; _ } -> subject.(i) <- find ~fresh task
      | Fork task -> subject.(i) <- find ~fresh:true task
      | Exit task ->
          subject.(i) <- find task;
          Hashtbl.replace ended task.pid ()
      | Waking { task; _ } | Migrate { task; _ } -> subject.(i) <- find task
      | Lost _ -> ())
    trace.events;
  let name i =
    let task = Hashtbl.find names i in
    Printf.sprintf "%s[%d]" task.Trace.comm task.pid
  in
  { subject; next; observed; names = Array.init !count name }
