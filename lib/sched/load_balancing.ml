open Dromos_fiber

(* The state of an instance. The plain fields belong to the vproc: the instance and
   its fibers, visiting thieves included, use them in turn. *)
type member = {
  vproc : Vproc.t;
  queue : Core.fiber Queue.t;
  arrivals : Core.fiber Ready_queue.t;  (** filled from anywhere *)
  mutable round : int;  (** turns until the scheduler below has its turn *)
  mutable wary : int;  (** turns until a thief is let in *)
  home : Thieves.home;  (** shared with the vproc's thief *)
}

type t = {
  members : member list;
  thieves : Core.fiber Thieves.t;
  migrations : int Atomic.t;
}

let pinned : bool Fls.key = Fls.new_key ()
let visits : member Fls.key = Fls.new_key ()
let set_pinned = Fls.set pinned
let migrations t = Atomic.get t.migrations
let may_move k = Core.only_on k = None && Fls.find_opt_in k pinned <> Some true

(* {1 Thieves} *)

(* Takes up to half of the queue. Only movable fibers leave; the rest keeps its
   order. *)
let loot member =
  let length = Queue.length member.queue in
  let taken = Queue.create () in
  for _ = 1 to length do
    let k = Queue.take member.queue in
    let take = Queue.length taken < length / 2 && may_move k in
    Queue.add k (if take then taken else member.queue)
  done;
  taken

(* Called by the thief, on the vproc that it visits. *)
let take from () =
  let taken = loot from in
  from.wary <- Queue.length from.queue;
  if Queue.is_empty taken then None else Some taken

let deliver t home taken =
  ignore (Atomic.fetch_and_add t.migrations (Queue.length taken) : int);
  Queue.iter (Ready_queue.add home.arrivals) taken

(* A thief without a vproc to visit was released at the end of the scheduler. *)
let rec thief t member () =
  let steal () =
    match Fls.find_opt visits with
    | None -> ()
    | Some from ->
        Preemption.mask (fun () ->
            Thieves.visit t.thieves member.home ~take:(take from)
              ~deliver:(deliver t member) (thief t member))
  in
  let k = Core.fiber ~name:"thief" steal in
  Fls.set_in k pinned true;
  k

(* {1 The scheduler} *)

let rec receive member =
  match Ready_queue.take_opt member.arrivals with
  | Some k ->
      Queue.add k member.queue;
      receive member
  | None -> ()

let welcome t member =
  if member.wary > 0 then begin
    member.wary <- member.wary - 1;
    None
  end
  else if Queue.length member.queue < 2 then None
  else
    let let_in k =
      Fls.set_in k visits member;
      k
    in
    Option.map let_in (Thieves.let_in t.thieves)

let rec action t member =
  Core.action ~name:"load balancing" ~ready:(Ready_queue.add member.arrivals)
    (function
    | Stop -> next t member
    | Preempt k ->
        Queue.add k member.queue;
        take_turns member;
        next t member)

and take_turns member =
  if member.round > 0 then member.round <- member.round - 1
  else begin
    member.round <- Queue.length member.queue;
    Core.atomic_yield ()
  end

and next t member =
  receive member;
  match welcome t member with
  | Some thief -> Core.run (action t member) thief
  | None -> (
      match Queue.take_opt member.queue with
      | Some k -> Core.run (action t member) k
      | None -> rest t member)

and rest t member =
  Thieves.starves t.thieves member.home (thief t member);
  match Ready_queue.take ~reason:"load balancing" member.arrivals with
  | k ->
      Thieves.eats member.home;
      Queue.add k member.queue;
      next t member
  | exception Cancel.Cancelled -> Core.stop

(* {1 Outside} *)

let member vproc =
  {
    vproc;
    queue = Queue.create ();
    arrivals = Ready_queue.create ();
    round = 0;
    wary = 0;
    home = Thieves.home ();
  }

let on_vproc t vproc =
  List.find_opt (fun m -> Vproc.equal m.vproc vproc) t.members

let exactly t vproc =
  match on_vproc t vproc with
  | Some member -> member
  | None ->
      invalid_arg
        (Printf.sprintf
           "Sched.Load_balancing: the scheduler does not run on vproc %d"
           (Vproc.id vproc))

(* The host, if the scheduler runs there. *)
let near t =
  Option.value (on_vproc t (Vproc.host ())) ~default:(List.hd t.members)

let add_near t k = Ready_queue.add (near t).arrivals k

let give t vproc k =
  Vproc.check_fiber ~call:"Load_balancing.give" vproc k;
  Ready_queue.add (exactly t vproc).arrivals k

let ends t vproc =
  let member = exactly t vproc in
  Queue.iter Core.release member.queue;
  Queue.clear member.queue;
  Ready_queue.close member.arrivals Core.release;
  List.iter Core.release (Thieves.clear t.thieves)

let run ?vprocs ?under f =
  let vprocs = match vprocs with Some l -> l | None -> Vproc.all () in
  let t =
    {
      members = List.map member vprocs;
      thieves = Thieves.create ();
      migrations = Atomic.make 0;
    }
  in
  Attached.run ~name:"load balancing" ~vprocs ?under ~ends:(ends t)
    ~give:(add_near t)
    (fun vproc -> next t (exactly t vproc))
    (fun () -> f t)

let spawn t ?name ?on ?pinned:(stays = false) f =
  List.iter
    (fun member -> Vproc.check ~call:"Load_balancing.spawn" member.vproc)
    t.members;
  let member = match on with Some vproc -> exactly t vproc | None -> near t in
  let k = Core.fiber ?name f in
  Fls.set_in k pinned stays;
  Ready_queue.add member.arrivals k
