module Event = Dromos_sync.Author.Event
module Promise = Dromos_sync.Promise
open Comm

(* {1 Sending} *)

let send_op ~reason comm op ~to_ tag =
  start op (fun op -> Raw.isend op comm to_ tag);
  finish ~reason op

let isend_op ~keeps comm op ~to_ tag =
  let promise = Promise.create () in
  start op (fun op -> Raw.isend op comm to_ tag);
  Engine.over op (fun () ->
      let result = Engine.attempt (fun () -> free_after op Raw.raise_error) in
      ignore (Sys.opaque_identity keeps);
      ignore (Promise.try_resolve promise result : bool));
  promise

let marshal v = Raw.marshal v [ Marshal.Closures ]

let send_value ~reason comm ~to_ tag v =
  send_op ~reason comm (marshal v) ~to_ tag

let isend_value comm ~to_ tag v = isend_op ~keeps:() comm (marshal v) ~to_ tag

(* {1 Receiving} *)

let pattern comm ?(from = -1) tag = { Engine.comm; from; tag }

(* A taken message is received completely, also by a cancelled task. *)
let value ~reason op =
  Comm.start op (fun op -> Raw.imrecv op Raw.no_data (-1));
  free_after op (fun op ->
      complete ~reason op;
      let from, length = Raw.envelope op in
      match Raw.unmarshal op with
      | v -> (from, v)
      | exception Failure _ ->
          Printf.ksprintf failwith
            "%s: the message of %d bytes from rank %d is no value: was it sent \
             by Data?"
            reason length from)

let recv_value ?timeout ~reason comm ?from tag =
  value ~reason (Engine.wait ?timeout ~reason (pattern comm ?from tag))

let value_event ~reason comm ?from tag =
  Event.wrap
    (Event.of_source (Engine.source ~reason (pattern comm ?from tag)))
    (value ~reason)

exception Too_long of { room : int; length : int; from : int }

let () =
  Printexc.register_printer (function
    | Too_long { room; length; from } ->
        Some
          (Printf.sprintf
             "Dromos_mpi.Too_long: a message of %d bytes from rank %d, and \
              room for %d"
             length from room)
    | _ -> None)

let bytes_of array =
  Bigarray.Array1.dim array
  * Bigarray.kind_size_in_bytes (Bigarray.Array1.kind array)

(* A message without room is received and dropped. *)
let into ~reason array op =
  let from, length = Raw.envelope op and room = bytes_of array in
  let fits = length <= room in
  Comm.start op (fun op ->
      if fits then Raw.imrecv op array 0 else Raw.imrecv op Raw.no_data (-1));
  finish ~reason op;
  if not fits then raise (Too_long { room; length; from });
  ignore (Sys.opaque_identity array);
  (from, length)
