open Dromos_fiber
open Types

type t = Types.worker

let me = Misplaced.fiber
let host () = (me "Vproc.host").worker
let all_of (vproc : t) = Array.to_list vproc.run.workers
let all () = all_of (me "Vproc.all").worker
let count () = Fiber.workers (me "Vproc.count")
let id (vproc : t) = vproc.id
let is_idle (vproc : t) = vproc.resting
let equal (a : t) (b : t) = a == b

(* {1 The queue} *)

let check ~call (vproc : t) =
  Misplaced.check_same_run call vproc.run (fun () ->
      Printf.sprintf "vproc %d" vproc.id)

let check_fiber ~call (vproc : t) (ready : Core.fiber) =
  if ready.of_fiber.worker.run != vproc.run then
    Misplaced.other_run call (Core.describe ready.of_fiber)

let enq_on (vproc : t) (ready : Core.fiber) =
  check_fiber ~call:"Vproc.enq_on" vproc ready;
  Vproc_queue.enq_on vproc ready

let enq ready = enq_on (me "Vproc.enq").worker ready

let deq () =
  let fiber = me "Vproc.deq" in
  Vproc_queue.deq fiber.worker fiber

let migrate_to vproc =
  let fiber = me "Vproc.migrate_to" in
  check ~call:"Vproc.migrate_to" vproc;
  if fiber.worker == vproc then Fiber.pin_to fiber vproc
  else
    Core.capture (fun k ->
        Vproc_queue.enq_on vproc k;
        Core.stop)

let preempt = Preempt.signal

(* {1 Assignment} *)

type group = { run : Types.run; members : t list Atomic.t }

let group () = { run = (me "Vproc.group").worker.run; members = Atomic.make [] }
let load (vproc : t) = Atomic.get vproc.groups

let check_group call group =
  Misplaced.check_same_run call group.run (fun () -> "the group")

let rec provision group =
  check_group "Vproc.provision" group;
  let members = Atomic.get group.members in
  let candidates =
    Array.to_list group.run.workers
    |> List.filter (fun vproc -> not (List.memq vproc members))
  in
  let lightest best vproc = if load vproc < load best then vproc else best in
  match candidates with
  | [] -> None
  | first :: rest ->
      let vproc = List.fold_left lightest first rest in
      if Atomic.compare_and_set group.members members (vproc :: members) then begin
        Atomic.incr vproc.groups;
        Some vproc
      end
      else provision group

let rec release group vproc =
  check_group "Vproc.release" group;
  let members = Atomic.get group.members in
  if not (List.memq vproc members) then
    invalid_arg
      (Printf.sprintf "Vproc.release: the group does not have vproc %d" vproc.id);
  let others = List.filter (fun other -> other != vproc) members in
  if Atomic.compare_and_set group.members members others then
    Atomic.decr vproc.groups
  else release group vproc
