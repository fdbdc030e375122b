(* The draws of every property, besides its arrays: the run of the loop, and its
   grain; and the runner of the properties. *)

module Par = Dromos.Par

let seed =
  match Option.bind (Sys.getenv_opt "QCHECK_SEED") int_of_string_opt with
  | Some seed -> seed
  | None ->
      Random.self_init ();
      Random.bits ()

let rand = Random.State.make [| seed |]

type t = { workers : int; hub : int; grain : int option; spicy : bool }

(* No workers: outside a run. *)
let inside t f =
  if t.workers = 0 then f ()
  else Dromos.run ~workers:t.workers ~hub:(List.nth Dromos.Hub.all t.hub) f

let print t =
  Printf.sprintf "workers %d, hub %s, grain %s%s" t.workers
    (Dromos.Hub.name (List.nth Dromos.Hub.all t.hub))
    (match t.grain with None -> "-" | Some g -> string_of_int g)
    (if t.spicy then ", spicy" else "")

let draw =
  let open QCheck.Gen in
  let* workers = int_bound 4 in
  let* hub = int_bound (List.length Dromos.Hub.all - 1) in
  let* grain =
    frequency
      [
        (3, return None); (1, map Option.some (oneofl [ 1; 2; 3; 7; 64; 5000 ]));
      ]
  in
  let* spicy = map (fun n -> n = 0) (int_bound 3) in
  return { workers; hub; grain; spicy }

let count = Atomic.make 0

(* User functions call [spice]: now and then a yield or a pause, so that pieces
   end in an order of chance, and fibers move. *)
let spice t =
  if t.spicy then
    let n = Atomic.fetch_and_add count 1 in
    if n land 127 = 0 then Dromos.yield ()
    else if n land 127 = 64 then
      for _ = 1 to 1000 do
        Domain.cpu_relax ()
      done

(* Lengths at which the behaviour changes: zero, one, two, a few, more than a
   leaf, more than arrays whose first element is computed first. *)
let length =
  QCheck.Gen.(
    frequency
      [
        (2, int_bound 3);
        (4, int_bound 100);
        (2, int_bound 3000);
        (1, int_range 4090 4100);
        (1, int_bound 20_000);
      ])

let array elt = QCheck.Gen.array_size length elt

let with_ ?(more = fun _ -> "") gen =
  QCheck.make ~print:(fun (t, x) -> print t ^ more x) QCheck.Gen.(pair draw gen)

let of_array elt =
  with_
    ~more:(fun a -> Printf.sprintf ", %d elements" (Array.length a))
    (array elt)

(* [law name gen holds]: one test case, many draws. *)
let law ?(count = 30) name gen holds =
  let cell = QCheck.Test.make_cell ~count ~name gen (fun (t, x) -> holds t x) in
  Alcotest.test_case name `Quick (fun () ->
      QCheck.Test.check_cell_exn ~rand cell)

let case name f = Alcotest.test_case name `Quick f
