type kind = { mutable time : int  (** the length of the next look, in ns *) }

let longest = 500_000
let wake_up = 200_000
(* about the time of a wake-up, with the worker's own search before it sleeps *)

let kinds = Array.init 64 (fun _ -> { time = wake_up })
let kind n = kinds.(n land 63)
let now () = Int64.to_int (Mtime_clock.elapsed_ns ())

(* Called after a wait of [length] ns. One slow message among quick ones shortens
   the looks a little; slow messages end them. *)
let learn kind length =
  let wanted =
    if length > longest then 0 else Int.min longest (wake_up + (2 * length))
  in
  kind.time <- Int.max wanted (((3 * kind.time) + wanted) / 4)

let refused = Domain.DLS.new_key (fun () -> ref false)
let refuse_here () = Domain.DLS.get refused := true

(* The function by which the caller gives way between looks; [None] if the caller may
   not look. *)
let between () =
  if Dromos.inside () then Some Dromos.yield
  else if Dromos_suspend.self () < 0 && not !(Domain.DLS.get refused) then
    Some Thread.yield
  else None

let rec look ~until give_way ask =
  if now () >= until then None
  else begin
    give_way ();
    match ask () with None -> look ~until give_way ask | found -> found
  end

let at_most most time =
  match most with
  | None -> time
  | Some seconds -> Int.min time (int_of_float (Float.min 1. seconds *. 1e9))

let wait kind ?most ask suspend =
  match ask () with
  | Some v -> v
  | None -> (
      let began = now () in
      Fun.protect ~finally:(fun () -> learn kind (now () - began)) @@ fun () ->
      let found =
        Option.bind (between ()) (fun give_way ->
            look ~until:(began + at_most most kind.time) give_way ask)
      in
      match found with Some v -> v | None -> suspend ())
