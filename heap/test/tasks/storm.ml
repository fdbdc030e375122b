(* Fork-join tasks in a storm of signals. The handlers allocate, collect, and publish
   lists, in whichever task runs then, also while its heap is handed over, merged or
   left. *)

open Check

let in_run f = Dromos.run ~workers:4 f
let last = Atomic.make []
let strings n = List.init n string_of_int
let right what l = List.iteri (fun i s -> must what (s = string_of_int i)) l

let handler () =
  let n = Atomic.get Alarm.hits in
  right "the list of another handler" (Atomic.get last);
  Atomic.set last (strings 100);
  if n land 63 = 0 then Gc.full_major ()

let in_storm f () =
  Alarm.during (fun () ->
      Atomic.set Alarm.also handler;
      f ())

(* Checks the arguments and the results of branches. *)
let rec both_ways depth l =
  right "given" l;
  if depth = 0 then l
  else
    let more = strings (20 * depth) in
    let a, b =
      Dromos.both
        (fun () -> both_ways (depth - 1) more)
        (fun () -> both_ways (depth - 1) (List.rev (List.rev more)))
    in
    right "returned" a;
    right "returned" b;
    if depth land 1 = 0 then a else b

let forks () =
  repeat 10 (fun () ->
      in_run (fun () -> ignore (both_ways 10 [] : string list)))

(* Branches store into cells that all branches read. *)
let entangled () =
  let cells = Array.init 64 (fun _ -> Atomic.make []) in
  let rec fill lo hi =
    if hi - lo = 1 then begin
      Atomic.set cells.(lo) (strings 200);
      right "a neighbour's" (Atomic.get cells.((lo + 17) land 63))
    end
    else
      let mid = (lo + hi) / 2 in
      ignore (Dromos.both (fun () -> fill lo mid) (fun () -> fill mid hi))
  in
  repeat 30 (fun () -> in_run (fun () -> fill 0 64))

exception Out of string list

let raising () =
  let rec go n =
    if n = 0 then raise (Out (strings 50))
    else ignore (Dromos.both (fun () -> go (n - 1)) (fun () -> garbage 100))
  in
  repeat 30 (fun () ->
      match in_run (fun () -> go 8) with
      | () -> must "it is raised" false
      | exception Out l -> right "the value it carries" l)

let () =
  case "forks in a storm" (in_storm forks);
  case "entangled ones" (in_storm entangled);
  case "tasks that raise" (in_storm raising)
