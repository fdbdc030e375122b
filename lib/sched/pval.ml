open Dromos_fiber
open Types
module Once = Dromos_sync.Author.Once
module Event = Dromos_sync.Author.Event
module Hub = Dromos_hub.Hub
module Waiter = Dromos_sync.Author.Waiter

type thieves = {
  offer : worker -> branch -> unit;
  hungry : worker -> bool;
  take_back : node -> unit;
}

let key : thieves Fls.key = Fls.new_key ()

(* {1 The slow path: a body that was taken} *)

(* The body's fiber finds here the node that cancels the first part of the same
   fork. *)
let split_from : split Fls.key = Fls.new_key ()
let storage branch = Hmap.add split_from branch.split branch.run_in.inherits

let fiber_of branch =
  Start.prepare ~scope:branch.run_in.in_scope ~node:branch.own_node
    ~fls:(storage branch) ~pin:(-1) ~info:(Info.branch ()) ~ends:ignore
    (fun fiber ->
      branch.go_branch fiber;
      Nobody.stop)

let to_the_root run branch =
  let { in_scope = scope; _ } = branch.run_in in
  Publish.task run Hub.New
    (Publish.first (fun task context ->
         if branch.claim () then
           Start.fiber context ~task ~scope ~node:branch.own_node
             ~fls:(storage branch) ~info:(Info.branch ()) branch.go_branch))

let offer worker branch =
  match Hmap.find key branch.run_in.inherits with
  | Some thieves -> thieves.offer worker branch
  | None -> to_the_root worker.run branch

(* The result of the first part, for a body that asks for it. *)
type 'a value = 'a Waiter.outcome Once.t

let source x = Event.once_source ~reason:"the value of a pval" x Fun.id

let read (x : _ value) =
  match Once.peek x with
  | Some outcome -> Waiter.deliver outcome
  | None -> Waiter.wait (source x)

(* The body is over without having asked for the value, and the first part is still
   running: cancels the first part and waits for its end. The run's signal is up
   meanwhile, so that forks of the first part notice the cancellation. *)
let not_needed (fiber : fiber) split (x : _ value) =
  if not (Once.is_closed x) then begin
    Atomic.incr fiber.signal;
    Cancel.cancel split.first;
    (try ignore (Waiter.wait ~shielded:true (source x)) with _ -> ());
    Atomic.decr fiber.signal
  end

let late fiber (x : _ value) body =
  let split = Hmap.get split_from fiber.fls in
  Surroundings.set_storage fiber (Hmap.rem split_from fiber.fls);
  let asked = ref false in
  let v =
    body fiber (fun () ->
        asked := true;
        read x)
  in
  if Cancellation.compiled_in && not !asked then not_needed fiber split x;
  v

(* {1 The end of the first part, when the body has been published} *)

(* Ends the use of the first part's own node, and returns the cell of the value. *)
let part_is_over fiber { of_first; own; _ } =
  Surroundings.end_split fiber of_first;
  own

let tell (x : _ value) outcome = ignore (Once.close x outcome : bool)

let take_back fiber join =
  match Hmap.find key fiber.fls with
  | Some thieves -> thieves.take_back join.branch
  | None -> ()

(* The result of the body if another fiber has begun it; [None] if the caller has to
   run the body itself. *)
let[@inline never] joined : type code a b.
    fiber -> (code, a value, b) fork -> a -> b option =
 fun fiber fork v ->
  match fork.cell with
  | Promoted ({ owned = Some owned; _ } as join) ->
      let x = part_is_over fiber owned in
      if Join.claim join.state then begin
        take_back fiber join;
        None
      end
      else begin
        tell x (Ok v);
        Some (Fork.outcome fiber join)
      end
  | _ -> None

(* [true] if the first part was cancelled only because its value was not needed. *)
let was_not_needed fiber { of_first; _ } = function
  | Cancel.Cancelled ->
      Cancel.is_cancelled of_first.first && not (Cancel.pending fiber)
  | _ -> false

let[@inline never] failed : type code a b.
    fiber -> (code, a value, b) fork -> exn -> b =
 fun fiber fork e ->
  let bt = Printexc.get_raw_backtrace () in
  Frame.pop fiber fork;
  match fork.cell with
  | Promoted ({ owned = Some owned; _ } as join) ->
      let x = part_is_over fiber owned in
      let raise_it () = Printexc.raise_with_backtrace e bt in
      if Join.claim join.state then begin
        take_back fiber join;
        raise_it ()
      end
      else begin
        tell x (Error (e, bt));
        if was_not_needed fiber owned e then Fork.outcome fiber join
        else begin
          Fork.abandon fiber join e;
          raise_it ()
        end
      end
  | _ -> Printexc.raise_with_backtrace e bt

(* {1 The fast path}

   [bind] is inlined at each call, and so must not have a closure of its own.
   [after] makes the only closure, for the value. The objects that a thief needs are
   made when the frame is published: see {!Latent.mark}. *)

let[@inline never] poll fiber =
  if Cancellation.compiled_in then Cancel.check fiber;
  match Hmap.find key fiber.fls with
  | None -> Promotion.oldest fiber
  | Some thieves -> if thieves.hungry fiber.worker then Promotion.share fiber

let owned = Owned { begin_own = Once.create; offer; taken = late }

let[@inline never] after fiber fork v body =
  Frame.pop fiber fork;
  if fork.cell == owned then body fiber (fun () -> v)
  else
    match joined fiber fork v with
    | None -> body fiber (fun () -> v)
    | Some b -> b

let[@inline] bind fiber e1 body =
  let fork = Frame.push fiber owned body in
  if Cancellation.compiled_in then
    match
      if Atomic.get fiber.signal > 0 then poll fiber;
      e1 fiber
    with
    | v -> after fiber fork v body
    | exception e -> failed fiber fork e
  else begin
    if Atomic.get fiber.signal > 0 then poll fiber;
    let v = e1 fiber in
    after fiber fork v body
  end

(* The fast path again, for parts without contexts, which would otherwise need two
   more closures. *)

let late_plain fiber x body = late fiber x (fun _ value -> body value)
let owned_plain = Owned { begin_own = Once.create; offer; taken = late_plain }

let[@inline never] after_plain fiber fork v body =
  Frame.pop fiber fork;
  if fork.cell == owned_plain then body (fun () -> v)
  else match joined fiber fork v with None -> body (fun () -> v) | Some b -> b

let[@inline] bind_plain fiber e1 body =
  let fork = Frame.push fiber owned_plain body in
  match
    if Atomic.get fiber.signal > 0 then poll fiber;
    e1 ()
  with
  | v -> after_plain fiber fork v body
  | exception e -> failed fiber fork e
