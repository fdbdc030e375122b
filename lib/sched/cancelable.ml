open Fiber
module Broadcast = Dromos_sync.Broadcast
module Event = Dromos_sync.Event
module Waiter = Dromos_sync.Waiter

type t = {
  node : Cancel.t;
  parent : t option;
  running : int Atomic.t;  (** under it and those below it *)
  quiet : unit Broadcast.t Atomic.t;  (** closed when that falls to zero *)
}

let key : t Fls.key = Fls.key ()

let make () =
  let fiber = Misplaced.fiber "Cancelable.make" in
  let node = Cancel.root () in
  ignore (Cancel.attach node ~below:fiber.cancel : exn Broadcast.listener);
  {
    node;
    parent = Fls.find key;
    running = Atomic.make 0;
    quiet = Atomic.make (Broadcast.create ());
  }

let is_cancelled c = Cancel.is_cancelled c.node

let rec up c f =
  f c;
  Option.iter (fun parent -> up parent f) c.parent

let enter c = up c (fun c -> Atomic.incr c.running)

(* The count may rise again, while nobody has cancelled; so each fall is told to
   those who wait for it, by a cell of its own. *)
let leave c =
  up c (fun c ->
      if Atomic.fetch_and_add c.running (-1) = 1 then
        let cell = Atomic.exchange c.quiet (Broadcast.create ()) in
        ignore (Broadcast.close cell () : bool))

(* First the count, then the look at the node; [cancel] does it the other way
   round. *)
let run c f =
  let fiber = Fiber.current () in
  Fls.let_ key c @@ fun () ->
  try
    Scope.run (fun scope ->
        let place = Cancel.attach scope.node ~below:c.node in
        Fun.protect f ~finally:(fun () -> Broadcast.leave place))
  with Cancel.Cancelled when is_cancelled c && not (Cancel.pending fiber) ->
    ()

let wrap c f () =
  enter c;
  Fun.protect
    (fun () -> if not (is_cancelled c) then run c f)
    ~finally:(fun () -> leave c)

(* First the cell, then the look at the count. *)
let rec wait_for_quiet c =
  let cell = Atomic.get c.quiet in
  if Atomic.get c.running > 0 then begin
    let source =
      Event.broadcast_source ~reason:"Cancelable.cancel" cell Result.ok
    in
    Waiter.wait ~shielded:true source;
    wait_for_quiet c
  end

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
