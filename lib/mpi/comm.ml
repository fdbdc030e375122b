module Mutex = Dromos_sync.Mutex

type t = {
  number : Raw.comm;  (** the communicator of messages *)
  inner : Raw.comm;  (** the communicator of collective operations *)
  rank : int;
  size : int;
  turn : Mutex.t;  (** held by the current collective operation *)
  mutable operations : int;  (** the number of operations begun; under [turn] *)
}

let free_after op f =
  Fun.protect ~finally:(fun () -> Raw.free op) (fun () -> f op)

let complete ~reason op =
  Engine.finished ~reason op;
  Raw.raise_error op

let finish ~reason op = free_after op (complete ~reason)

(* Suspends only the calling task; a split blocks its thread. *)
let again comm =
  free_after
    (Engine.call (fun () -> Raw.idup comm))
    (fun op ->
      complete ~reason:"Dromos_mpi.duplicate" op;
      Raw.made op)

let of_number number =
  let rank, size = Engine.call (fun () -> Raw.place number) in
  let inner = Dromos.protect (fun () -> again number) in
  let turn = Mutex.create ~name:"a collective operation of MPI" () in
  { number; inner; rank; size; turn; operations = 0 }

let check_rank t ~call rank =
  if rank < 0 || rank >= t.size then
    invalid_arg
      (Printf.sprintf "Dromos_mpi.%s: there is no rank %d: ranks are 0 to %d"
         call rank (t.size - 1))

let tags = 32768 (* the number that every MPI supports *)

let check_tag ~call tag =
  if tag < 0 || tag >= tags then
    invalid_arg
      (Printf.sprintf "Dromos_mpi.%s: %d is not in 0 .. %d" call tag (tags - 1))

(* {1 A buffer that is sent or received} *)

let start op f =
  match Engine.call (fun () -> f op) with
  | () -> ()
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Raw.free op;
      Printexc.raise_with_backtrace e bt

(* {1 Inside collective operations}

   Messages of collective operations have a communicator apart. The tag is the number
   of the operation, so that messages of the next operation, of a faster rank, wait. *)

let collective t f =
  Mutex.protect t.turn @@ fun () ->
  Dromos.protect @@ fun () ->
  t.operations <- t.operations + 1;
  f (t.operations mod tags)

let run t ~reason start =
  collective t (fun _ -> finish ~reason (Engine.call start))

(* MPI's split blocks the thread: first the task waits, suspended, until all ranks have
   come. *)
let split t ~colour ~key =
  let number =
    collective t (fun _ ->
        let barrier = Engine.call (fun () -> Raw.ibarrier t.inner) in
        finish ~reason:"Dromos_mpi.split" barrier;
        Engine.call (fun () -> Raw.split t.inner colour key))
  in
  if number < 0 then None else Some (of_number number)

let apart t = of_number (collective t (fun _ -> again t.inner))

let free t =
  Engine.leave t.number;
  Engine.call (fun () ->
      Raw.comm_free t.number;
      Raw.comm_free t.inner)
