open Dromos_fiber
module Promise = Dromos_sync.Promise
module Semaphore = Dromos_sync.Semaphore
module Queue = Dromos_sync.Stream

type 'b line = {
  scope : Scope.t;
  results : 'b Dromos_sync.Author.Waiter.outcome Promise.t Queue.t;
      (* in the order of the elements *)
  places : Semaphore.t; (* a permit for each element that may be forced *)
  failed : bool Atomic.t; (* no further element is forced *)
  mutable over : bool;
      (* the call has ended; the caller writes this and the next two fields *)
  mutable ended : bool; (* the consumer has reached the end *)
  mutable holds : bool; (* the consumer has an element *)
}

let outcome line f x =
  match f x with
  | v -> Ok v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Atomic.set line.failed true;
      Error (e, bt)

let rec produce line f seq =
  Semaphore.acquire line.places;
  if Atomic.get line.failed then Queue.close line.results
  else
    match seq () with
    | Seq.Nil -> Queue.close line.results
    | Seq.Cons (x, rest) ->
        Queue.add line.results
          (Scope.async line.scope (fun () -> outcome line f x));
        produce line f rest
    | exception e ->
        let failure = Error (e, Printexc.get_raw_backtrace ()) in
        Queue.add line.results (Promise.return failure);
        Queue.close line.results

let check_open line =
  if line.over then
    invalid_arg
      "Dromos: the results of Par.Seq, or of Pipeline.consume, are forced \
       after the end of the call"

let rec next line () =
  check_open line;
  if line.holds then Semaphore.release line.places;
  line.holds <- false;
  match Queue.next line.results with
  | None ->
      line.ended <- true;
      Seq.Nil
  | Some promise -> (
      let outcome = Promise.await promise in
      line.holds <- true;
      match outcome with
      | Ok v -> Seq.Cons (v, next line)
      | Error (e, bt) -> Printexc.raise_with_backtrace e bt)

let within scope ~ahead f seq consume =
  let line =
    {
      scope;
      results = Queue.create ~name:"the results of Par.Seq" max_int;
      places = Semaphore.create ~name:"the places of Par.Seq" ahead;
      failed = Atomic.make false;
      over = false;
      ended = false;
      holds = false;
    }
  in
  Scope.fork scope ~name:"the producer of Par.Seq" (fun () ->
      produce line f seq);
  let v =
    Fun.protect
      (fun () -> consume (Seq.once (next line)))
      ~finally:(fun () -> line.over <- true)
  in
  if not line.ended then Scope.cancel scope;
  v

let map ?ahead f seq consume =
  Dromos_service.Stack_room.ensure 4;
  (match ahead with
  | Some n when n < 1 ->
      invalid_arg (Printf.sprintf "Dromos.Par.Seq: ~ahead:%d is not positive" n)
  | Some _ | None -> ());
  let fiber = Fiber.current () in
  if fiber == Fiber.nobody then consume (Seq.once (Seq.map f seq))
  else
    let ahead = Option.value ahead ~default:(4 * Fiber.workers fiber) in
    Scope.run (fun scope -> within scope ~ahead f seq consume)

let filter_map ?ahead f seq consume =
  map ?ahead f seq (fun kept -> consume (Seq.filter_map Fun.id kept))

let iter ?ahead f seq = map ?ahead f seq (Seq.iter Fun.id)

let fold ?ahead ~map:f ~combine ~init seq =
  map ?ahead f seq (Seq.fold_left combine init)
