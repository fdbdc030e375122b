type 'a result = ('a, exn) Stdlib.result

type start = {
  start : 'a. Step.forms -> 'a Step.t -> ('a result -> unit) -> unit -> unit;
}

type t = {
  name : string;
  direct : bool;
  cancellable : bool;
  is_cancelled : exn -> bool;
  start : start;
  stop : unit -> unit;
}

type kind = { kind : string; direct : bool; make : Random.State.t -> t }
type 'h state = Unknown | Known of 'h | Cancelled
type 'h late = { state : 'h state Atomic.t; by : 'h -> unit }

let late by = { state = Atomic.make Unknown; by }

let known t handle =
  if not (Atomic.compare_and_set t.state Unknown (Known handle)) then
    t.by handle

let cancel t =
  match Atomic.exchange t.state Cancelled with
  | Known handle -> t.by handle
  | Unknown | Cancelled -> ()
