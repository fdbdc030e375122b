(* One instance. The scheduler below has its turn after so many of ours. *)
type t = { vproc : Vproc.t; mutable left : int }

let turns = 16
let whole_quantum = 4

let give_way t k =
  t.left <- (t.left - if Core.home k = None then 1 else whole_quantum);
  if t.left <= 0 then begin
    t.left <- turns;
    Core.atomic_yield ()
  end

let rec action t =
  Core.action ~name:"round robin" ~ready:(Vproc.enq_on t.vproc) (function
    | Stop -> dispatch t
    | Preempt k ->
        Vproc.enq_on t.vproc k;
        give_way t k;
        dispatch t)

and dispatch t = Core.run (action t) (Vproc.deq ())

let instance vproc = dispatch { vproc; left = turns }
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
      Attached.run ~name:"round robin" ~vprocs:ours ~give instance f)

let spawn ?name ?on f =
  let k = Core.fiber ?name f in
  match on with None -> give k | Some vproc -> Vproc.enq_on vproc k
