let rec action vproc =
  Core.action ~name:"round robin" ~ready:(Vproc.enq_on vproc) (function
    | Stop -> dispatch vproc
    | Preempt k ->
        Vproc.enq_on vproc k;
        dispatch vproc)

and dispatch vproc = Core.run (action vproc) (Vproc.deq ())

let run ?vprocs f = Attached.run ~name:"round robin" ?vprocs dispatch f

let spawn ?name ?on f =
  let vproc = match on with Some vproc -> vproc | None -> Vproc.host () in
  Vproc.enq_on vproc (Core.fiber ?name f)
