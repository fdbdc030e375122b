type op = int
type comm = int

type data =
  (char, Bigarray.int8_unsigned_elt, Bigarray.c_layout) Bigarray.Array1.t

external init : unit -> int = "dromos_mpi_init"
external finalize : unit -> unit = "dromos_mpi_finalize"
external abort : int -> 'a = "dromos_mpi_abort"
external place : comm -> int * int = "dromos_mpi_place"
external processor : unit -> string = "dromos_mpi_processor"
external split : comm -> int -> int -> comm = "dromos_mpi_split"
external idup : comm -> op = "dromos_mpi_idup"
external made : op -> comm = "dromos_mpi_made"
external comm_free : comm -> unit = "dromos_mpi_comm_free"
external marshal : 'a -> Marshal.extern_flags list -> op = "dromos_mpi_marshal"

external data : ('a, 'b, 'c) Bigarray.Array1.t -> int -> int -> op
  = "dromos_mpi_data"

external room : int -> op = "dromos_mpi_room"
external isend : op -> comm -> int -> int -> unit = "dromos_mpi_isend"
external improbe : comm -> int -> int -> op = "dromos_mpi_improbe"
external iprobe : comm -> int -> int -> int * int = "dromos_mpi_iprobe"

external imrecv : op -> ('a, 'b, 'c) Bigarray.Array1.t -> int -> unit
  = "dromos_mpi_imrecv"

external test : op -> bool = "dromos_mpi_test"
external is_over : op -> bool = "dromos_mpi_is_over" [@@noalloc]
external length : op -> int = "dromos_mpi_length" [@@noalloc]
external envelope : op -> int * int = "dromos_mpi_envelope"
external raise_error : op -> unit = "dromos_mpi_done"
external unmarshal : op -> 'a = "dromos_mpi_unmarshal"
external free : op -> unit = "dromos_mpi_free"
external wait : op array -> int array -> int -> unit = "dromos_mpi_wait"
external kick : unit -> unit = "dromos_mpi_kick"
external ibarrier : comm -> op = "dromos_mpi_ibarrier"
external ibcast : op -> comm -> int -> unit = "dromos_mpi_ibcast"

external collect :
  int ->
  comm ->
  int ->
  ('a, 'b, 'c) Bigarray.Array1.t ->
  ('a, 'b, 'c) Bigarray.Array1.t ->
  op = "dromos_mpi_collect"

external combine :
  bool ->
  comm ->
  int ->
  int ->
  ('a, 'b, 'c) Bigarray.Array1.t ->
  ('a, 'b, 'c) Bigarray.Array1.t ->
  op = "dromos_mpi_combine_bytecode" "dromos_mpi_combine"

let no_data : data = Bigarray.(Array1.create char c_layout 0)

exception Error of { call : string; code : int; text : string }

let () =
  Callback.register_exception "dromos_mpi_error"
    (Error { call = ""; code = 0; text = "" });
  Printexc.register_printer (function
    | Error { call; text; _ } ->
        Some (Printf.sprintf "Dromos_mpi.Error: %s: %s" call text)
    | _ -> None)

let none = 0
