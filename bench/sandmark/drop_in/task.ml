type 'a task = unit -> 'a
type 'a promise = 'a Dromos.Promise.t

type pool = {
  name : string option;
  workers : int;
  outside : Dromos.Runtime.t option Atomic.t; (* for tasks outside of any run *)
  over : bool Atomic.t;
}

let named : (string * pool) list Atomic.t = Atomic.make []

let rec change_named f =
  let old = Atomic.get named in
  if not (Atomic.compare_and_set named old (f old)) then change_named f

let setup_pool ?name ~num_domains () =
  if num_domains < 0 || num_domains > 127 then
    invalid_arg
      (Printf.sprintf "Task.setup_pool: ~num_domains:%d is not in 0 .. 127"
         num_domains);
  let pool =
    {
      name;
      workers = num_domains + 1;
      outside = Atomic.make None;
      over = Atomic.make false;
    }
  in
  Option.iter (fun name -> change_named (List.cons (name, pool))) name;
  pool

let lookup_pool name = List.assoc_opt name (Atomic.get named)

let check pool =
  if Atomic.get pool.over then invalid_arg "Task: the pool is torn down"

let get_num_domains pool =
  check pool;
  pool.workers

let teardown_pool pool =
  check pool;
  Atomic.set pool.over true;
  Option.iter (fun r -> Dromos.Runtime.stop r) (Atomic.get pool.outside);
  if Option.is_some pool.name then
    change_named (List.filter (fun (_, other) -> other != pool))

let run pool f =
  check pool;
  if Dromos.inside () then f () else Dromos.run ~workers:pool.workers f

let rec runtime pool =
  match Atomic.get pool.outside with
  | Some runtime -> runtime
  | None ->
      let made = Dromos.Runtime.create ~workers:pool.workers () in
      if not (Atomic.compare_and_set pool.outside None (Some made)) then
        Dromos.Runtime.stop made;
      runtime pool

let async pool f =
  check pool;
  if Dromos.inside () then Dromos.async f
  else Dromos.Runtime.submit (runtime pool) f

let await pool promise =
  check pool;
  Dromos.await promise

(* {1 Loops} *)

let grain chunk_size = if chunk_size > 0 then Some chunk_size else None

let parallel_for ?(chunk_size = 0) ~start ~finish ~body pool =
  check pool;
  Dromos.Par.for_ ?grain:(grain chunk_size) start (finish + 1) body

let parallel_for_reduce ?(chunk_size = 0) ~start ~finish ~body pool combine init
    =
  check pool;
  Dromos.Par.map_reduce ?grain:(grain chunk_size) start (finish + 1) ~map:body
    ~combine init

let parallel_scan pool combine a =
  check pool;
  let n = Array.length a in
  if n <= 1 then Array.copy a
  else
    let rest =
      Dromos.Par.Array.scan_inclusive combine a.(0) (Array.sub a 1 (n - 1))
    in
    Array.append [| a.(0) |] rest

let parallel_find ?(chunk_size = 0) ~start ~finish ~body pool =
  check pool;
  Dromos.Par.find_map ?grain:(grain chunk_size) start (finish + 1) body
