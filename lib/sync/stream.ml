(* A stream is a channel. A channel that is closed and empty is the end of the
   stream, not an error. *)

type 'a t = 'a Channel.t

exception Closed = Channel.Closed

let create ?name capacity =
  if capacity < 0 then
    invalid_arg (Printf.sprintf "Stream.create: capacity %d" capacity);
  let name = Option.fold name ~none:"a stream" ~some:(( ^ ) "stream ") in
  Channel.create ~name ~capacity ()

let add = Channel.send
let add_event = Channel.send_event
let try_add = Channel.try_send
let add_seq t seq = Seq.iter (add t) seq
let close = Channel.close
let take = Channel.recv
let take_event = Channel.recv_event

let try_take t =
  match Channel.try_recv t with item -> item | exception Closed -> None

let next ?timeout t =
  match take ?timeout t with item -> Some item | exception Closed -> None

(* Catches the error of the operation itself, not errors of functions around the
   event. *)
let next_event t =
  let end_ = function Closed -> None | e -> raise e in
  Event.wrap_error (Event.wrap (take_event t) Option.some) end_

(* [f] runs outside the handler: a [Closed] raised by [f] is not the end of the
   stream. *)
let rec fold f acc t =
  match next t with None -> acc | Some item -> fold f (f acc item) t

let iter f t = fold (fun () item -> f item) () t
let to_seq t = Seq.of_dispenser (fun () -> next t)

let of_seq ?name seq =
  let t = create ?name max_int in
  add_seq t seq;
  close t;
  t

let length = Channel.length
let is_empty t = length t = 0
let is_closed = Channel.is_closed
let capacity = Channel.capacity
