(* Multiples of [apart] are always in the list. Each turn adds a key of its own between
   two multiples, looks up a multiple, and removes its own key, except for every hundredth
   turn. So the answers, and the final list, do not depend on the schedule. *)

open Bench_plain
open Suite_structures

let lasting = 200
let bit b = if b then 1 else 0

let turn list apart i =
  let near = Rng.below lasting i in
  let own = (near * apart) + i + 1 in
  let added = Harris_list.add list own in
  let weight = Work.weight (Work.page i) in
  let there = Harris_list.mem list (Rng.below lasting (-i) * apart) in
  let removed = i mod 100 <> 0 && Harris_list.remove list own in
  weight + bit added + (2 * bit there) + (4 * bit removed)

let mix (module F : Program.Fork) n =
  let list = Harris_list.create () and apart = n + 2 in
  for k = lasting - 1 downto 0 do
    ignore (Harris_list.add list (k * apart) : bool)
  done;
  (F.map_reduce 0 n ~map:(turn list apart) ~combine:( + ) ~init:0, list)

let program : Program.t =
  {
    name = "harris-linked-list";
    about = "tasks that work and use one ordered list as a set";
    entangled = true;
    allocates = false;
    size_is = "operations of each kind";
    size = 40_000;
    tiny = 500;
    prepare =
      (fun n fork () ->
        let sum, list = mix fork n in
        fun () ->
          Checksum.ints (Array.of_list (sum :: Harris_list.to_list list)));
  }
