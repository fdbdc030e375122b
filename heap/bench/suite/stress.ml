(* Each operation makes a page, puts the page into a slot, and reads the page that was
   there: in a table of the task alone, or in a table shared by all tasks. The number of
   the slot decides which table, so all slots are equally busy, and a page lives equally
   long for any share. All pages have equal weight, so the result does not depend on the
   schedule. *)

open Bench_plain

type page = int list

let operations = 4_096 (* per task *)
let places = 200 (* per table: most pages die young; two slots per percent *)

(* Fourteen numbers: seven numbers, each with its complement to a thousand. *)
let page i : page =
  let rec go k page =
    if k = 0 then page
    else
      let number = Rng.below 1000 ((8 * i) + k) in
      go (k - 1) (number :: (1000 - number) :: page)
  in
  go 7 []

let swap (table : page array) place page =
  let old = table.(place) in
  table.(place) <- page;
  Work.weight old

let task percent first shared t =
  let own = Array.make places first in
  let weight = ref 0 in
  for i = t * operations to ((t + 1) * operations) - 1 do
    let place = Rng.below places i in
    let table = if place * 100 < percent * places then shared else own in
    weight := !weight + swap table place (page i)
  done;
  !weight

let job percent n (module F : Program.Fork) () =
  let first = page 0 in
  let shared = Array.make places first in
  let tasks = (n + operations - 1) / operations in
  let weight =
    F.map_reduce 0 tasks ~map:(task percent first shared) ~combine:( + ) ~init:0
  in
  fun () -> weight

let program percent : Program.t =
  {
    name = Printf.sprintf "stress-%d" percent;
    about = Printf.sprintf "tasks that share %d of a hundred stores" percent;
    entangled = percent > 0;
    allocates = true;
    size_is = "operations";
    size = 4_000_000;
    tiny = 20_000;
    prepare = job percent;
  }

let of_name name =
  match Scanf.sscanf_opt name "stress-%u%!" Fun.id with
  | Some percent when percent <= 100 -> Some (program percent)
  | Some _ | None -> None
