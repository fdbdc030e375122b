open Fiber
module Broadcast = Dromos_sync.Broadcast
module Event = Dromos_sync.Event
module Hub = Dromos_hub.Hub
module Waiter = Dromos_sync.Waiter

type thieves = {
  offer : worker -> branch -> unit;
  hungry : worker -> bool;
  take_back : cancel -> unit;
}

let key : thieves Fls.key = Fls.key ()

(* {1 The slow path: a body that was taken} *)

(* How a body's fiber finds what cancels the part that it was split from. *)
let split_from : left Fls.key = Fls.key ()
let storage branch = Hmap.add split_from branch.left branch.run_in.inherits

let fiber_of branch =
  Task.prepare ~scope:branch.run_in.in_scope ~cancel:branch.own_node
    ~fls:(storage branch) ~pin:(-1) ~info:(Waiting.branch ()) ~ends:ignore
    (fun fiber ->
      branch.go_branch fiber;
      Fiber.stop)

let to_the_root run branch =
  let { in_scope = scope; _ } = branch.run_in in
  Task.publish run Hub.New
    (Hub.task (fun context ->
         if branch.claim () then
           Task.start context ~scope ~cancel:branch.own_node
             ~fls:(storage branch) ~info:(Waiting.branch ()) branch.go_branch))

let offer worker branch =
  match Hmap.find key branch.run_in.inherits with
  | Some thieves -> thieves.offer worker branch
  | None -> to_the_root worker.run branch

let owned = Owned { offer }

(* The value that is being bound: told once, to whoever in the body asks. *)
type 'a value = 'a Waiter.outcome Broadcast.t

let source x = Event.broadcast_source ~reason:"the value of a pval" x Fun.id

let read (x : _ value) =
  match Broadcast.peek x with
  | Some outcome -> Waiter.deliver outcome
  | None -> Waiter.wait (source x)

(* The body is over and has not asked for the value, which is still being
   computed: nobody needs it. The signal is up until it is told, so that the
   forks of that computation notice. *)
let not_needed fiber left (x : _ value) =
  if not (Broadcast.is_closed x) then begin
    Atomic.incr fiber.signal;
    Cancel.cancel left.first;
    (try ignore (Waiter.wait ~shielded:true (source x)) with _ -> ());
    Atomic.decr fiber.signal
  end

let slow fiber (x : _ value) body =
  let left = Hmap.get split_from fiber.fls in
  fiber.fls <- Hmap.rem split_from fiber.fls;
  let asked = ref false in
  let v =
    body fiber (fun () ->
        asked := true;
        read x)
  in
  if Cancellation.compiled_in && not !asked then not_needed fiber left x;
  v

(* {1 The end of the first part, when the body has been published} *)

(* The part's own node goes out of force. *)
let part_is_over fiber join =
  match join.owned with
  | None -> ()
  | Some (_, left) ->
      fiber.cancel <- left.outer;
      Broadcast.leave left.hung

let tell (x : _ value) outcome = ignore (Broadcast.close x outcome : bool)

let take_back fiber join =
  match Hmap.find key fiber.fls with
  | Some thieves -> thieves.take_back join.branch
  | None -> ()

let[@inline never] joined : type a b.
    Fiber.t -> b fork -> a value -> a -> (Fiber.t -> (unit -> a) -> b) -> b =
 fun fiber fork x v body ->
  match fork.cell with
  | Latent | Owned _ | Border _ -> body fiber (fun () -> v)
  | Promoted join ->
      part_is_over fiber join;
      if Join.claim join.state then begin
        take_back fiber join;
        body fiber (fun () -> v)
      end
      else begin
        tell x (Ok v);
        Fork.outcome fiber join
      end

(* Cancelled as not needed, and by nobody else. *)
let was_not_needed fiber join e =
  match (e, join.owned) with
  | Cancel.Cancelled, Some (_, left) ->
      Cancel.is_cancelled left.first && not (Cancel.pending fiber)
  | _ -> false

let[@inline never] failed : type a b. Fiber.t -> b fork -> a value -> exn -> b =
 fun fiber fork x e ->
  let bt = Printexc.get_raw_backtrace () in
  Fork.unlink fiber fork;
  match fork.cell with
  | Latent | Owned _ | Border _ -> Printexc.raise_with_backtrace e bt
  | Promoted join ->
      part_is_over fiber join;
      if Join.claim join.state then take_back fiber join
      else begin
        tell x (Error (e, bt));
        if not (was_not_needed fiber join e) then Fork.abandon fiber join
      end;
      if was_not_needed fiber join e then Fork.outcome fiber join
      else Printexc.raise_with_backtrace e bt

(* {1 The fast path} *)

let[@inline never] poll fiber =
  if Cancellation.compiled_in then Cancel.check fiber;
  match Hmap.find key fiber.fls with
  | None -> Task.promote_oldest fiber
  | Some thieves -> if thieves.hungry fiber.worker then Task.promote_share fiber

let[@inline] part fiber part =
  if Atomic.get fiber.signal > 0 then poll fiber;
  part fiber

(* Unlinks the frame; whether nobody was offered it. Without a closure, so that it
   is inlined: one in [bind] would be allocated each time. *)
let[@inline] was_latent fiber fork =
  if fiber.top == Frame fork then fiber.top <- fork.prev
  else Fork.unlink fiber fork;
  match fork.cell with
  | Owned _ -> true
  | Latent | Promoted _ | Border _ -> false

let[@inline] bind fiber e1 body =
  let x = Broadcast.create () in
  let code fiber = slow fiber x body in
  let fork = { code; cell = owned; prev = fiber.top } in
  fiber.top <- Frame fork;
  if Cancellation.compiled_in then
    match part fiber e1 with
    | v ->
        if was_latent fiber fork then body fiber (fun () -> v)
        else joined fiber fork x v body
    | exception e -> failed fiber fork x e
  else
    let v = part fiber e1 in
    if was_latent fiber fork then body fiber (fun () -> v)
    else joined fiber fork x v body
