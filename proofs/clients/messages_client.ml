(* Two domains, a queue and an ivar. The sender pushes the messages 1, ..., n
   into the queue. The receiver asserts that the messages come in order, and
   takes the content of each message, a plain field; after the last message the
   receiver sets the ivar to the sum. The sender waits for the sum with a
   callback, and returns the sum. *)

module Queue = Dromos_base.Queue
module Ivar = Dromos_base.Ivar

type message = { number : int; mutable content : int }

let open_ message =
  let content = message.content in
  message.content <- 0;
  content

let rec receive queue next n sum =
  if next > n then sum
  else
    match Queue.pop queue with
    | None ->
        Domain.cpu_relax ();
        receive queue next n sum
    | Some message ->
        assert (message.number = next);
        let content = open_ message in
        receive queue (next + 1) n (sum + content)

let rec send queue next n =
  if next <= n then (
    Queue.push queue { number = next; content = next };
    send queue (next + 1) n)

let rec await cell =
  match Atomic.get cell with
  | Some answer -> answer
  | None ->
      Domain.cpu_relax ();
      await cell

(* The ivar's callback stores the answer in a cell. *)
let answer_of ivar =
  let cell = Atomic.make None in
  match Ivar.wait ivar (fun () answer -> Atomic.set cell (Some answer)) with
  | Some answer -> answer
  | None -> await cell

let answer queue ivar n =
  let sum = receive queue 1 n 0 in
  let first = Ivar.set () ivar sum in
  assert first

let run n =
  let queue = Queue.create () in
  let ivar = Ivar.create () in
  let receiver = Domain.spawn (fun () -> answer queue ivar n) in
  send queue 1 n;
  let sum = answer_of ivar in
  Domain.join receiver;
  sum
