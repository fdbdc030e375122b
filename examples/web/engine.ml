type each = Documents.Comparison.each

type t = {
  name : string;
  compute : 'a. (each -> 'a) -> 'a Lwt.t;
  block : 'a. (unit -> 'a) -> 'a Lwt.t;
  ask : 'a 'b. (unit -> 'a) -> ('a -> 'b) -> 'b Lwt.t;
  figures : unit -> string;
  stop : unit -> unit Lwt.t;
}

(* {1 Dromos} *)

let dromos ?workers ?(hub = Dromos.Hub.fifo) ?(preempt = true) () =
  let pool = Dromos.Runtime.create ~name:"web" ?workers ~hub ~preempt () in
  (* A piece may be left anywhere: its only effect is to fill its part of the
     result. *)
  let piece f i =
    if preempt then Dromos.Sched.Preemption.interruptible (fun () -> f i)
    else f i
  in
  (* The loop runs as many pieces at a time as there are workers. A small
     request then waits only for the running pieces, not for all pieces that
     were begun and interrupted. *)
  let each n f =
    Dromos.Tasks.iter ~max:(Dromos.workers ()) (piece f) (List.init n Fun.id)
  in
  {
    name = "Dromos, hub " ^ Dromos.Hub.name hub;
    compute = (fun f -> Dromos_lwt.offload ~pool (fun () -> f each));
    block = (fun f -> Dromos_lwt.offload ~pool ~blocking:true f);
    ask =
      (fun f g -> Dromos_lwt.offload ~pool (fun () -> g (Dromos.blocking f)));
    figures = (fun () -> Dromos.Runtime.to_prometheus pool);
    stop = (fun () -> Dromos_lwt.Pool.stop pool);
  }

(* {1 Other engines} *)

let in_order check n f =
  for i = 0 to n - 1 do
    check ();
    f i
  done

(* A thread cannot be stopped: the thread reads a flag. *)
let detach f =
  let answer, resolve = Lwt.task () in
  let cancelled = Atomic.make false in
  Lwt.on_cancel answer (fun () -> Atomic.set cancelled true);
  let check () = if Atomic.get cancelled then raise Lwt.Canceled in
  Lwt.on_any
    (Lwt_preemptive.detach (fun () -> f (in_order check)) ())
    (fun x -> if Lwt.is_sleeping answer then Lwt.wakeup_later resolve x)
    (fun e -> if Lwt.is_sleeping answer then Lwt.wakeup_later_exn resolve e);
  answer

let block f = detach (fun _ -> f ())
let none () = ""
let nothing () = Lwt.return_unit

let threads () =
  {
    name = "Lwt_preemptive's threads";
    compute = detach;
    block;
    ask = (fun f g -> block (fun () -> g (f ())));
    figures = none;
    stop = nothing;
  }

let loop () =
  {
    name = "Lwt's own thread";
    compute = (fun f -> Lwt.wrap (fun () -> f (in_order ignore)));
    block;
    ask = (fun f g -> Lwt.map g (block f));
    figures = none;
    stop = nothing;
  }
