module Channel = Dromos.Channel

(* A type of its own, so that the parameter is injective. *)
type 'a t = Channel of 'a Channel.t [@@unboxed]

let make_bounded capacity =
  if capacity < 0 then invalid_arg "Chan.make_bounded";
  Channel (Channel.create ~capacity ())

let make_unbounded () = Channel (Channel.create ~capacity:max_int ())
let send (Channel channel) v = Channel.send channel v
let send_poll (Channel channel) v = Channel.try_send channel v
let recv (Channel channel) = Channel.recv channel
let recv_poll (Channel channel) = Channel.try_recv channel
