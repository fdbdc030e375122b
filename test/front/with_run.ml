(* The run of the tests: a hub and a number of workers, drawn for each run of
   the suite; [any] draws both again. *)

let pick list = List.nth list (Random.State.int Watch.chance (List.length list))
let hub = pick Dromos.Hub.all
let workers = 1 + Random.State.int Watch.chance 4
let go ?(workers = workers) ?(hub = hub) f = Dromos.run ~workers ~hub f

let any f =
  go ~workers:(1 + Random.State.int Watch.chance 4) ~hub:(pick Dromos.Hub.all) f

(* At least two workers, so that a branch can be taken. *)
let parallel f = go ~workers:(Int.max 2 workers) f
let each_hub f = List.iter (fun hub -> f hub) Dromos.Hub.all

let times n f =
  for i = 1 to n do
    f i
  done

exception Wrong of string

let ensure text ok = if not ok then raise (Wrong text)

let equal what expected got =
  if expected <> got then
    raise (Wrong (Printf.sprintf "%s: %d expected, %d got" what expected got))

(* Computes, without forking or suspending, until the flag is set. The waiting
   fiber keeps its worker: only a fiber of another worker can set the flag. *)
let spin_until ?(seconds = 20.) what flag =
  let stop = Unix.gettimeofday () +. seconds in
  while not (Atomic.get flag) do
    for _ = 1 to 100 do
      Domain.cpu_relax ()
    done;
    (* On private deques a thief's request waits for the victim's next poll. *)
    if Dromos.inside () then Dromos.check ();
    if Unix.gettimeofday () > stop then
      raise (Wrong (what ^ ": never happened"))
  done

(* Yields until the flag is set. *)
let yield_until ?(seconds = 20.) what flag =
  let stop = Unix.gettimeofday () +. seconds in
  while not (Atomic.get flag) do
    Dromos.yield ();
    if Unix.gettimeofday () > stop then
      raise (Wrong (what ^ ": never happened"))
  done

let contains = Said.contains

let raises what expected f =
  match f () with
  | _ -> raise (Wrong (what ^ ": no exception"))
  | exception e when e = expected -> ()
  | exception e ->
      raise (Wrong (Printf.sprintf "%s: %s" what (Printexc.to_string e)))

let never () : unit = Dromos.await (Dromos.Promise.create ())
let case = Watch.case
