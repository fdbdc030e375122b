let rec action vproc =
  Core.action ~name:"round robin" ~ready:(Vproc.enq_on vproc) (function
    | Stop -> dispatch vproc
    | Preempt k ->
        Vproc.enq_on vproc k;
        dispatch vproc)

and dispatch vproc = Core.run (action vproc) (Vproc.deq ())

let key : Vproc.t list Fls.key = Fls.key ()

(* The host, unless it is not one of ours. *)
let give k =
  let host = Vproc.host () in
  match Fls.find key with
  | Some (first :: _ as ours) when not (List.exists (Vproc.equal host) ours) ->
      Vproc.enq_on first k
  | Some _ | None -> Vproc.enq_on host k

let run ?vprocs f =
  let ours = match vprocs with Some ours -> ours | None -> Vproc.all () in
  Fls.let_ key ours (fun () ->
      Attached.run ~name:"round robin" ~vprocs:ours ~give dispatch f)

let spawn ?name ?on f =
  let k = Core.fiber ?name f in
  match on with None -> give k | Some vproc -> Vproc.enq_on vproc k
