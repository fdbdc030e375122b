open Fiber
module Once = Dromos_sync.Once
module Event = Dromos_sync.Event
module Waiter = Dromos_sync.Waiter

type t = {
  node : Cancel.t;
  maker : Cancel.t;  (** of the fiber that made it *)
  parent : t option;
  state : state Atomic.t;
}

(* It hangs below its parent and its maker while it is in use, so that one that
   is not leaves nothing there: nothing says when a cancelable is over. *)
and state =
  | Idle
  | Busy of {
      users : int;  (** its fibers, and the cancelables below that are busy *)
      links : exn Once.listener list;
      quiet : unit Once.t;  (** closed when this time of use is over *)
    }

let key : t Fls.key = Fls.new_key ()

let make () =
  let fiber = Misplaced.fiber "Cancelable.make" in
  {
    node = Cancel.root ();
    maker = fiber.cancel;
    parent = Fls.find key;
    state = Atomic.make Idle;
  }

(* An idle one is not told. *)
let rec is_cancelled c =
  Cancel.is_cancelled c.node
  || Cancel.is_cancelled c.maker
  || Option.fold c.parent ~none:false ~some:is_cancelled

let link c =
  let below node = Cancel.attach c.node ~below:node in
  below c.maker
  :: Option.fold c.parent ~none:[] ~some:(fun p -> [ below p.node ])

(* The parent is in use before it is linked to, and until it is not any more: so
   who sees an idle parent after it was cancelled knows that what comes into use
   below is cancelled by its links. Whoever loses the race to be the first user
   undoes what it did above. *)
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
        let place = Cancel.attach scope.node ~below:c.node in
        Fun.protect f ~finally:(fun () -> Once.leave place))
  with Cancel.Cancelled when is_cancelled c && not (Cancel.pending fiber) ->
    ()

(* First in sight, then the look at the node; [cancel] does it the other way
   round. The look before that is for those who wait: no more come. *)
let wrap c f () =
  if not (is_cancelled c) then begin
    enter c;
    Fun.protect
      (fun () -> if not (Cancel.is_cancelled c.node) then run c f)
      ~finally:(fun () -> leave c)
  end

(* What comes into use once the node is closed is cancelled from the start, so
   that only who is in sight is waited for. *)
let wait_for_quiet c =
  match Atomic.get c.state with
  | Idle -> ()
  | Busy { quiet; _ } ->
      let source =
        Event.once_source ~reason:"Cancelable.cancel" quiet Result.ok
      in
      Waiter.wait ~shielded:true source

let cancel c =
  let fiber = Misplaced.fiber "Cancelable.cancel" in
  let rec inside = function
    | None -> false
    | Some d -> d == c || inside d.parent
  in
  if inside (Fls.find key) then
    invalid_arg "Cancelable.cancel: called by what it would cancel and wait for";
  Atomic.incr fiber.signal;
  Fun.protect
    (fun () ->
      Cancel.cancel c.node;
      wait_for_quiet c)
    ~finally:(fun () -> Atomic.decr fiber.signal)
