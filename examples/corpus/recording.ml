open Dromos_trace

type span = { domain : int; phase : string; start : float; stop : float }

type t = {
  progress : Progress.t;
  began : float;
  lock : Mutex.t;
  mutable spans : span list; (* under the lock; the last is the first *)
}

let create progress =
  { progress; began = Unix.gettimeofday (); lock = Mutex.create (); spans = [] }

(* When the piece that this domain runs began, if it runs one. A piece that waits
   for a loop inside ends for the time of the loop: meanwhile the domain may run
   other pieces, and the piece may go on elsewhere. *)
let started : float option ref Domain.DLS.key =
  Domain.DLS.new_key (fun () -> ref None)

let begin_ () = Domain.DLS.get started := Some (Unix.gettimeofday ())

(* Whether there was a piece. *)
let end_ t =
  let slot = Domain.DLS.get started in
  match !slot with
  | None -> false
  | Some start ->
      slot := None;
      let stop = Unix.gettimeofday () in
      let domain = (Domain.self () :> int) in
      let span = { domain; phase = Progress.name t.progress; start; stop } in
      Mutex.protect t.lock (fun () -> t.spans <- span :: t.spans);
      true

let during t f =
  begin_ ();
  Fun.protect ~finally:(fun () -> ignore (end_ t : bool)) f

let outside t loop =
  let inside = end_ t in
  Fun.protect ~finally:(fun () -> if inside then begin_ ()) loop

let loops t (loops : Loops.t) =
  let piece f i = during t (fun () -> f i) in
  {
    Loops.name = loops.name;
    init = (fun n f -> outside t (fun () -> loops.init n (piece f)));
    reduce =
      (fun n f ~combine zero ->
        outside t (fun () -> loops.reduce n (piece f) ~combine zero));
  }

(* {1 The drawing} *)

let colours = [| "#3b82c4"; "#4a7"; "#d98a29"; "#7b5ea7"; "#c05a5a"; "#777" |]

let each_once values =
  List.rev
    (List.fold_left
       (fun seen v -> if List.mem v seen then seen else v :: seen)
       [] values)

let index values v =
  let rec find i = function
    | x :: _ when x = v -> i
    | _ :: rest -> find (i + 1) rest
    | [] -> invalid_arg "Recording.index"
  in
  find 0 values

let busy spans ~workers =
  let first = List.fold_left (fun m s -> Float.min m s.start) infinity spans in
  let last = List.fold_left (fun m s -> Float.max m s.stop) 0. spans in
  let sum = List.fold_left (fun n s -> n +. s.stop -. s.start) 0. spans in
  100. *. sum
  /. (float_of_int (Int.max 1 workers) *. Float.max 1e-9 (last -. first))

let spans t = List.sort (fun a b -> Float.compare a.start b.start) t.spans

let page t ~title ~workers ~facts =
  let spans = spans t in
  let phases = each_once (List.map (fun s -> s.phase) spans) in
  let domains = each_once (List.map (fun s -> s.domain) spans) in
  let kind i phase =
    {
      Timeline.name = phase;
      colour = colours.(i mod Array.length colours);
      means = "a piece of this phase";
    }
  in
  let ms time = 1000. *. (time -. t.began) in
  let span s =
    {
      Timeline.lane = index domains s.domain;
      start = ms s.start;
      stop = ms s.stop;
      kind = index phases s.phase;
      text = s.phase;
      notes = [ ("ms", Printf.sprintf "%.2f" (ms s.stop -. ms s.start)) ];
    }
  in
  let lanes = List.length domains in
  let share = Printf.sprintf "%.0f %%" (busy spans ~workers) in
  Timeline.to_html
    {
      (Timeline.empty ~title ~unit_name:"ms") with
      facts = facts @ [ ("workers at work", share) ];
      lanes = Array.init lanes (Printf.sprintf "domain %d");
      kinds = Array.of_list (List.mapi kind phases);
      spans = List.map span spans;
    }
