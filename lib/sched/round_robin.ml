open Dromos_fiber

(* An instance. *)
type member = {
  vproc : Vproc.t;
  take : unit -> Core.fiber;
  add : Core.fiber -> unit;  (** from anywhere *)
  close : unit -> unit;
  mutable left : int;  (** turns until the scheduler below has its turn *)
}

let turns = 16
let whole_quantum = 4

(* {1 Queues} *)

(* An instance on the vproc's queue: fibers of {!Vproc.enq} have turns too. *)
let with_vprocs_queue vproc =
  let add = Vproc.enq_on vproc in
  { vproc; take = Vproc.deq; add; close = ignore; left = turns }

(* An instance with a queue of its own: other schedulers may serve the vproc's queue
   at the same time, in another share of the vproc. *)
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

(* Counts a turn, and gives the scheduler below its turn when [left] runs out.
   [false] if the instance is cancelled. The check is needed here: other schedulers
   may keep the vproc's queue full, and the instance would never wait. *)
let give_way t k =
  t.left <- (t.left - if Core.home k = None then 1 else whole_quantum);
  t.left > 0
  || begin
       t.left <- turns;
       Core.atomic_yield ();
       not (Cancel.pending (Fiber.current ()))
     end

(* Ends an instance that is cancelled. The vproc's queue goes back to the kernel's
   loop when the scheduler that took last from the queue ends. An instance of another
   scheduler, which may be in the queue itself, may have taken last: this instance
   takes a fiber and puts the fiber back, to be the last. *)
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
let ours () = Option.value (Fls.find_opt key) ~default:[]
let find ours vproc = List.find_opt (fun t -> Vproc.equal t.vproc vproc) ours

let give vproc k =
  match find (ours ()) vproc with
  | Some t -> t.add k
  | None -> Vproc.enq_on vproc k

let of_this_run { vproc; _ } = List.exists (Vproc.equal vproc) (Vproc.all ())

(* Gives a fiber to the host, if the host is in [ours], else to another vproc of
   [ours]. *)
let give_one_of ours k =
  let host = Vproc.host () in
  match (find ours host, ours) with
  | Some t, _ -> t.add k
  | None, t :: _ when of_this_run t -> t.add k
  | None, _ -> Vproc.enq_on host k

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
