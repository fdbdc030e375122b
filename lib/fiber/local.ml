open Types

let fresh thread =
  {
    thread;
    current = Nobody.fiber;
    serving = None;
    companion = None;
    others = [];
    hub_open = false;
    visited = false;
    ask = ignore;
    watch = ignore;
    reads_frames = false;
    domain = Nudge.self ();
    slot = None;
    outside = None;
  }

(* A domain's systhreads share the domain's DLS. The fast path tests the first
   record; the records of the other threads are in the first record's list
   [others]. One store replaces the list, and only threads of this domain use
   the list. *)
let key = Domain.DLS.new_key (fun () -> fresh (-1))

external self : unit -> int = "dromos_local_number" [@@noalloc]

let[@inline never] other first thread =
  List.find_opt (fun l -> l.thread = thread) first.others

let find () =
  let first = Domain.DLS.get key in
  let thread = self () in
  if first.thread = thread then Some first else other first thread

(* Another systhread of the domain may run in between, so the list is replaced
   only if the list is still the one that was read. No poll point separates the
   test from the store. *)
let rec update_others first change =
  let old = first.others in
  let next = change old in
  if first.others == old then first.others <- next
  else update_others first change

let get () =
  match find () with
  | Some l -> l
  | None ->
      let first = Domain.DLS.get key in
      let thread = self () in
      if first.thread = -1 then begin
        first.thread <- thread;
        first
      end
      else begin
        let l = fresh thread in
        update_others first (fun others -> l :: others);
        l
      end

let serving () =
  match find () with
  | Some { serving = Some _ as worker; _ } -> worker
  | Some _ | None ->
      if Dromos_service.Own_threads.is_self () then
        let first = Domain.DLS.get key in
        List.find_map (fun l -> l.serving) (first :: first.others)
      else None

let[@inline never] fiber_elsewhere first thread =
  match other first thread with Some l -> l.current | None -> Nobody.fiber

let fiber () =
  let first = Domain.DLS.get key in
  let thread = self () in
  if first.thread = thread then first.current else fiber_elsewhere first thread

let[@inline] runs local fiber = local.current <- fiber
let[@inline] runs_none local = local.current <- Nobody.fiber
let serves local worker = local.serving <- worker
let has_companion local companion = local.companion <- Some companion

let release local =
  let first = Domain.DLS.get key in
  if local != first || not (Domain.is_main_domain ()) then begin
    let stop = local.companion in
    local.companion <- None;
    Option.iter (fun companion -> companion.stop ()) stop
  end;
  if local != first then update_others first (List.filter (fun l -> l != local))
