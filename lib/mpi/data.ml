open Comm
module Event = Dromos_sync.Author.Event

type ('a, 'b) t = ('a, 'b, Bigarray.c_layout) Bigarray.Array1.t
type operator = Sum | Product | Least | Greatest

let number = function Sum -> 0 | Product -> 1 | Least -> 2 | Greatest -> 3
let op_of array = Raw.data array 0 (Message.bytes_of array)

let send comm ~tag ~to_ array =
  check_rank comm ~call:"Data.send" to_;
  check_tag ~call:"Data.send" tag;
  Message.send_op ~reason:"Dromos_mpi.Data.send" comm.number (op_of array) ~to_
    tag;
  ignore (Sys.opaque_identity array)

let isend comm ~tag ~to_ array =
  check_rank comm ~call:"Data.isend" to_;
  check_tag ~call:"Data.isend" tag;
  Message.isend_op ~keeps:array comm.number (op_of array) ~to_ tag

let received array (from, length) =
  let size = Bigarray.(kind_size_in_bytes (Array1.kind array)) in
  (from, length / size)

let recv ?timeout ?from comm ~tag array =
  Option.iter (check_rank comm ~call:"Data.recv") from;
  check_tag ~call:"Data.recv" tag;
  let reason = "Dromos_mpi.Data.recv" in
  Engine.wait ?timeout ~reason (Message.pattern comm.number ?from tag)
  |> Message.into ~reason array |> received array

let recv_event ?from comm ~tag array =
  Option.iter (check_rank comm ~call:"Data.recv_event") from;
  check_tag ~call:"Data.recv_event" tag;
  let reason = "Dromos_mpi.Data.recv_event" in
  let pattern = Message.pattern comm.number ?from tag in
  Event.wrap
    (Event.of_source (Engine.source ~reason pattern))
    (fun op -> received array (Message.into ~reason array op))

(* {1 Collective} *)

let fail call fmt =
  Printf.ksprintf
    (fun text ->
      invalid_arg (Printf.sprintf "Dromos_mpi.Data.%s: %s" call text))
    fmt

let same ~call what wanted got =
  if wanted <> got then
    fail call "%s has %d elements, %d are needed" what got wanted

let dim = Bigarray.Array1.dim

let run comm ~call start =
  Comm.run comm ~reason:("Dromos_mpi.Data." ^ call) start

let broadcast comm ~root array =
  check_rank comm ~call:"Data.broadcast" root;
  run comm ~call:"broadcast" (fun () ->
      let op = op_of array in
      Raw.ibcast op comm.inner root;
      op);
  ignore (Sys.opaque_identity array)

let most = 0x7fff_ffff

let check_most ~call array =
  if dim array > most then
    fail call "%d elements: MPI 3 has collective operations of up to %d"
      (dim array) most

let collect comm ~call kind ~root sent received =
  check_rank comm ~call:("Data." ^ call) root;
  check_most ~call sent;
  check_most ~call received;
  run comm ~call (fun () -> Raw.collect kind comm.inner root sent received);
  ignore (Sys.opaque_identity (sent, received))

let gather comm ~root sent received =
  if comm.rank = root then
    same ~call:"gather" "the array of the root"
      (comm.size * dim sent)
      (dim received);
  collect comm ~call:"gather" 0 ~root sent received

let all_gather comm sent received =
  same ~call:"all_gather" "the array received"
    (comm.size * dim sent)
    (dim received);
  collect comm ~call:"all_gather" 1 ~root:0 sent received

let scatter comm ~root sent received =
  if comm.rank = root then
    same ~call:"scatter" "the array of the root"
      (comm.size * dim received)
      (dim sent);
  collect comm ~call:"scatter" 2 ~root sent received

let all_to_all comm sent received =
  same ~call:"all_to_all" "the array received" (dim sent) (dim received);
  if dim sent mod comm.size <> 0 then
    fail "all_to_all" "%d elements for %d ranks" (dim sent) comm.size;
  collect comm ~call:"all_to_all" 3 ~root:0 sent received

let combine comm ~call all ~root operator sent received =
  check_rank comm ~call:("Data." ^ call) root;
  check_most ~call sent;
  if all || comm.rank = root then
    same ~call "the array received" (dim sent) (dim received);
  run comm ~call (fun () ->
      Raw.combine all comm.inner root (number operator) sent received);
  ignore (Sys.opaque_identity (sent, received))

let reduce comm ~root operator sent received =
  combine comm ~call:"reduce" false ~root operator sent received

let all_reduce comm operator sent received =
  combine comm ~call:"all_reduce" true ~root:0 operator sent received
