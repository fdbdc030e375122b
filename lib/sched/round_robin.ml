(* One instance. The scheduler below has its turn after so many of ours. *)
type member = {
  vproc : Vproc.t;
  take : unit -> Core.fiber;
  add : Core.fiber -> unit;  (** from anywhere *)
  close : unit -> unit;
  mutable left : int;
}

let turns = 16
let whole_quantum = 4

(* {1 Queues} *)

(* Of the vproc: what {!Vproc.enq} puts there has turns too. *)
let with_vprocs_queue vproc =
  let add = Vproc.enq_on vproc in
  { vproc; take = Vproc.deq; add; close = ignore; left = turns }

(* Its own: others may serve the vproc's at the same time, with another share of
   it. *)
let with_own_queue vproc =
  let queue = Ready_queue.create () in
  {
    vproc;
    take = (fun () -> Ready_queue.take ~reason:"round robin" queue);
    add = Ready_queue.add queue;
    close = (fun () -> Ready_queue.close queue Core.release);
    left = turns;
  }

(* {1 The scheduler} *)

(* Whether to go on. Who shares the vproc's queue may keep it full, so that the
   instance would never wait, and so never notice that it is to end. *)
let give_way t k =
  t.left <- (t.left - if Core.home k = None then 1 else whole_quantum);
  t.left > 0
  || begin
       t.left <- turns;
       Core.atomic_yield ();
       not (Cancel.pending (Fiber.current ()))
     end

(* The vproc's queue passes to the kernel's loop when the scheduler ends that was
   the last to take from it. That was perhaps one that is in the queue itself. *)
let leave t =
  t.add (t.take ());
  Core.stop

let rec action t =
  Core.action ~name:"round robin" ~ready:t.add (function
    | Stop -> dispatch t
    | Preempt k ->
        t.add k;
        if give_way t k then dispatch t else leave t)

and dispatch t =
  match t.take () with
  | k -> Core.run (action t) k
  | exception Cancel.Cancelled -> Core.stop

(* {1 For users} *)

let key : member list Fls.key = Fls.new_key ()
let ours () = Option.value (Fls.find key) ~default:[]
let find ours vproc = List.find_opt (fun t -> Vproc.equal t.vproc vproc) ours

let give vproc k =
  match find (ours ()) vproc with
  | Some t -> t.add k
  | None -> Vproc.enq_on vproc k

(* To the host, unless it is not one of them. *)
let give_one_of ours k =
  let host = Vproc.host () in
  match (find ours host, ours) with
  | Some t, _ | None, t :: _ -> t.add k
  | None, [] -> Vproc.enq_on host k

let run ?vprocs ?under f =
  let vprocs = match vprocs with Some l -> l | None -> Vproc.all () in
  let member =
    match under with None -> with_vprocs_queue | Some _ -> with_own_queue
  in
  let ours = List.map member vprocs in
  let member_on vproc = Option.get (find ours vproc) in
  Attached.run ~name:"round robin" ~vprocs ?under
    ~ends:(fun vproc -> (member_on vproc).close ())
    ~give:(give_one_of ours)
    (fun vproc -> dispatch (member_on vproc))
    (fun () -> Fls.let_ key ours f)

let spawn ?name ?on f =
  Option.iter (Vproc.check ~call:"Round_robin.spawn") on;
  let k = Core.fiber ?name f in
  match on with None -> give_one_of (ours ()) k | Some vproc -> give vproc k
