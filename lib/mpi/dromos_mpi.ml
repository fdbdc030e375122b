module Data = Data
module Par = Par

type t = Comm.t

exception Error = Raw.Error
exception Too_long = Message.Too_long

let with_world = World.with_

let run ?workers f =
  with_world (fun comm ->
      let workers =
        match workers with Some n -> n | None -> World.workers comm
      in
      Dromos.run ~workers (fun () -> f comm))

let workers = World.workers
let rank (t : t) = t.rank
let size (t : t) = t.size

(* {1 Tags} *)

type 'a tag = int

let tag n =
  Comm.check_tag ~call:"tag" n;
  n

(* {1 Messages} *)

let send (t : t) tag ~to_ v =
  Comm.check_rank t ~call:"send" to_;
  Message.send_value ~reason:"Dromos_mpi.send" t.number ~to_ tag v

let isend (t : t) tag ~to_ v =
  Comm.check_rank t ~call:"isend" to_;
  Message.isend_value t.number ~to_ tag v

let recv_any ?timeout (t : t) tag =
  Message.recv_value ?timeout ~reason:"Dromos_mpi.recv_any" t.number tag

let recv ?timeout (t : t) tag ~from =
  Comm.check_rank t ~call:"recv" from;
  let reason = "Dromos_mpi.recv" in
  snd (Message.recv_value ?timeout ~reason t.number ~from tag)

let recv_event ?from (t : t) tag =
  Option.iter (Comm.check_rank t ~call:"recv_event") from;
  Message.value_event ~reason:"Dromos_mpi.recv_event" t.number ?from tag

let probe ?from (t : t) tag =
  Option.iter (Comm.check_rank t ~call:"probe") from;
  Engine.probe (Message.pattern t.number ?from tag)

(* {1 Groups} *)

let split (t : t) ?key colour =
  let colour =
    match colour with
    | None -> -1
    | Some c when c >= 0 -> c
    | Some c -> invalid_arg (Printf.sprintf "Dromos_mpi.split: colour %d" c)
  in
  Comm.split t ~colour ~key:(Option.value key ~default:t.rank)

let duplicate = Comm.apart
let here = World.here
let free = Comm.free

include Collective
