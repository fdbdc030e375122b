open Dromos_fiber
open Types
module Once = Dromos_sync.Author.Once
module Event = Dromos_sync.Author.Event
module Waiter = Dromos_sync.Author.Waiter

type t = {
  node : Cancel.t;
  maker : Cancel.t;  (** the node of the fiber that made the cancelable *)
  parent : t option;
  state : state Atomic.t;
}

(* The life of a cancelable:

     Idle --first user enters--> Busy --last user leaves--> Idle --> ...

   Only a busy cancelable has links to its parent and its maker. No call ends a
   cancelable, so links of an idle cancelable would stay there for ever. *)
and state =
  | Idle
  | Busy of {
      users : int;  (** running fibers, plus busy cancelables below *)
      links : exn Once.listener list;  (** in the nodes of parent and maker *)
      quiet : unit Once.t;  (** closed when the last user leaves *)
    }

let key : t Fls.key = Fls.new_key ()

let make () =
  let fiber = Misplaced.fiber "Cancelable.make" in
  {
    node = Cancel.root ();
    maker = fiber.node;
    parent = Fls.find_opt key;
    state = Atomic.make Idle;
  }

(* Reads the nodes above too, since an idle cancelable has no links to them. *)
let rec is_cancelled c =
  Cancel.is_cancelled c.node
  || Cancel.is_cancelled c.maker
  || Option.fold c.parent ~none:false ~some:is_cancelled

let link c =
  let below node = Cancel.attach c.node ~below:node in
  below c.maker
  :: Option.fold c.parent ~none:[] ~some:(fun p -> [ below p.node ])

(* The cancelable enters its parent before linking to the parent, and leaves the
   parent after unlinking. If a thread cancels the parent and then sees the parent
   idle, any cancelable that becomes busy below later is cancelled through its
   links. A thread that loses the race to be the first user removes its links and
   leaves the parent again. *)
let rec enter c =
  match Atomic.get c.state with
  | Busy busy as seen ->
      let next = Busy { busy with users = busy.users + 1 } in
      if not (Atomic.compare_and_set c.state seen next) then enter c
  | Idle ->
      Option.iter enter c.parent;
      let links = link c and quiet = Once.create () in
      let next = Busy { users = 1; links; quiet } in
      if not (Atomic.compare_and_set c.state Idle next) then begin
        unlink c links;
        enter c
      end

and unlink c links =
  List.iter Once.leave links;
  Option.iter leave c.parent

and leave c =
  match Atomic.get c.state with
  | Idle -> assert false
  | Busy { users = 1; links; quiet } as seen ->
      if Atomic.compare_and_set c.state seen Idle then begin
        ignore (Once.close quiet () : bool);
        unlink c links
      end
      else leave c
  | Busy busy as seen ->
      let next = Busy { busy with users = busy.users - 1 } in
      if not (Atomic.compare_and_set c.state seen next) then leave c

let run c f =
  let fiber = Fiber.current () in
  Fls.let_ key c @@ fun () ->
  try
    Scope.run (fun scope ->
        let place = Cancel.attach scope.scope_node ~below:c.node in
        Fun.protect f ~finally:(fun () -> Once.leave place))
  with Cancel.Cancelled when is_cancelled c && not (Cancel.pending fiber) ->
    ()

(* The fiber enters and then looks at the node; [cancel] closes the node and then
   looks for users. At least one of the two therefore sees the other. The first
   check, before [enter], keeps new fibers of a cancelled cancelable from prolonging
   the wait of [cancel]. *)
let wrap c f () =
  Dromos_service.Stack_room.ensure 4;
  if not (is_cancelled c) then begin
    enter c;
    Fun.protect
      (fun () -> if not (Cancel.is_cancelled c.node) then run c f)
      ~finally:(fun () -> leave c)
  end

(* A fiber that enters after the node was closed is cancelled from the start.
   [cancel] therefore waits only for the period of use that it sees now. *)
let wait_for_quiet c =
  match Atomic.get c.state with
  | Idle -> ()
  | Busy { quiet; _ } ->
      let source =
        Event.once_source ~reason:"Cancelable.cancel" quiet Result.ok
      in
      Waiter.wait ~shielded:true source

let cancel c =
  Dromos_service.Stack_room.ensure 3;
  let fiber = Misplaced.fiber "Cancelable.cancel" in
  let rec inside = function
    | None -> false
    | Some d -> d == c || inside d.parent
  in
  if inside (Fls.find_opt key) then
    invalid_arg "Cancelable.cancel: called by what it would cancel and wait for";
  Atomic.incr fiber.signal;
  Fun.protect
    (fun () ->
      Cancel.cancel c.node;
      wait_for_quiet c)
    ~finally:(fun () -> Atomic.decr fiber.signal)
