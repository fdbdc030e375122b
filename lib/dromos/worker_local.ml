module Free = Dromos_fiber.Free_stack

(* [places] has a stack of free values for each domain, by number, and grows. Numbers
   of domains begin at 0, and a new domain gets the number of an ended domain. *)
type 'a t = {
  make : unit -> 'a;
  places : 'a Free.t array Atomic.t;
  made : 'a list Atomic.t;
}

let create make = { make; places = Atomic.make [||]; made = Atomic.make [] }

let rec place t =
  let places = Atomic.get t.places and here = Domain.self_index () in
  if here < Array.length places then places.(here)
  else begin
    let grown = Int.max (here + 1) (2 * Array.length places) in
    let old = Array.length places in
    let grown =
      Array.init grown (fun i -> if i < old then places.(i) else Free.create ())
    in
    ignore (Atomic.compare_and_set t.places places grown : bool);
    place t
  end

let rec note t v =
  let made = Atomic.get t.made in
  if not (Atomic.compare_and_set t.made made (v :: made)) then note t v

let take t place =
  match Free.pop place with
  | Some v -> v
  | None ->
      let v = t.make () in
      note t v;
      v

(* The value goes back to the domain that it came from, on whichever domain the task
   ends: otherwise one domain could gather values that other domains have to make
   again. *)
let use t f =
  Dromos_service.Stack_room.ensure 1;
  let place = place t in
  let v = take t place in
  match f v with
  | result ->
      Free.push place v;
      result
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      Free.push place v;
      Printexc.raise_with_backtrace e bt

let free t =
  Array.fold_left (fun n place -> n + Free.length place) 0 (Atomic.get t.places)

let fold t acc f =
  let made = Atomic.get t.made in
  if free t < List.length made then
    invalid_arg
      "Dromos.Worker_local.fold: a value is in use; wait for the tasks that \
       use it";
  List.fold_left f acc made

let iter t f = fold t () (fun () v -> f v)
