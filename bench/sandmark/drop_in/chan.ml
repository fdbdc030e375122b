module Channel = Dromos.Channel

type 'a t = 'a Channel.t

let make_bounded capacity = Channel.create ~capacity ()
let make_unbounded () = Channel.create ~capacity:max_int ()
let send channel v = Channel.send channel v
let send_poll = Channel.try_send
let recv channel = Channel.recv channel
let recv_poll = Channel.try_recv
