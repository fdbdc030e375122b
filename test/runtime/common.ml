module Runtime = Dromos.Runtime
module Promise = Dromos.Promise
module Latch = Dromos.Latch

let hubs = Array.of_list Dromos.Hub.all
let hub = hubs.(Random.State.int Watch.chance (Array.length hubs))
let workers = 1 + Random.State.int Watch.chance 4
let int = Watch.check Alcotest.int
let bool = Watch.check Alcotest.bool

let runtime ?(workers = workers) ?queue ?on_unhandled f =
  Runtime.with_ ~hub ~workers ?queue ?on_unhandled f

let rec until ?(tries = 20_000) what f =
  if not (f ()) then
    if tries = 0 then Alcotest.failf "never: %s" what
    else begin
      Thread.delay 0.001;
      until ~tries:(tries - 1) what f
    end

(* A task that occupies a worker of a runtime until the function is called. *)
let occupy t =
  let begun = Latch.create 1 and go = Atomic.make false in
  Runtime.post t (fun () ->
      Latch.count_down begun;
      while not (Atomic.get go) do
        Domain.cpu_relax ()
      done);
  Latch.wait begun;
  fun () -> Atomic.set go true

let is_cancelled p =
  match Promise.result p with
  | Error (Dromos.Cancelled, _) -> true
  | Ok _ | Error _ -> false

let is_stopped f =
  match f () with _ -> false | exception Runtime.Stopped _ -> true

let sums what t =
  let s = Runtime.stats t in
  int
    (what ^ ": accepted is the sum")
    s.accepted
    (s.queued + s.running + s.finished + s.failed + s.cancelled);
  s

let at_rest what t =
  let s = sums what t in
  int (what ^ ": queued") 0 s.queued;
  int (what ^ ": running") 0 s.running;
  s
