external install : unit -> unit = "dromos_minor_stops_install" [@@noalloc]
external sample : unit -> unit = "dromos_minor_stops_watch" [@@noalloc]
external collections : unit -> int = "dromos_minor_stops_count" [@@noalloc]
external stopped : unit -> int = "dromos_minor_stops_nanoseconds" [@@noalloc]

(* The sampler is registered as a thread of ours, and prevents no deadlock
   report. *)
let watch () = Dromos_service.Own_threads.making sample

type mark = { count : int; held : int; at : int }

let never = { count = 0; held = 0; at = 0 }

let mark () =
  install ();
  { count = collections (); held = stopped (); at = Ticks.clock () }

type figures = { collections : int; stopped : float; elapsed : float }

let seconds ns = float_of_int ns /. 1e9

(* Over a short time the sampled part may exceed the elapsed time. *)
let since mark =
  let elapsed = Ticks.clock () - mark.at in
  {
    collections = collections () - mark.count;
    stopped = seconds (Int.min elapsed (stopped () - mark.held));
    elapsed = seconds elapsed;
  }

(* With fewer collections there is no advice: in one of them a domain may have
   waited for a core, and this one wait could be most of the time. *)
let few = 10

let heavy f =
  f.collections >= few && f.elapsed > 0. && f.stopped > f.elapsed /. 5.

let advice ~alone f =
  if not (heavy f) then None
  else
    let happened, fewer =
      if alone then ("took", "")
      else ("stopped all domains for", "fewer workers, ")
    in
    Some
      (Printf.sprintf
         "minor collections %s %.0f %% of the time: take %sa larger minor heap \
          (~minor_heap_words), or link with -runtime-variant _hh \
          (doc/allocation.md)"
         happened
         (100. *. f.stopped /. f.elapsed)
         fewer)
