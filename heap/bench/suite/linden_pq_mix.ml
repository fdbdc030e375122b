(* Like ms_queue_mix.ml, with a thousand elements in the queue from the beginning. *)

open Bench_plain
open Suite_structures

let weight_of = function
  | Some (key, page) -> key lxor Work.weight page
  | None -> 0

let push queue i =
  Linden_pq.push queue (Rng.below 1_000_000_000 i) (Work.page i)

let mix (module F : Program.Fork) n =
  let queue = Linden_pq.create () in
  for i = 0 to 999 do
    push queue (-i - 1)
  done;
  let turn i =
    push queue i;
    weight_of (Linden_pq.pop_min queue)
  in
  let taken = F.map_reduce 0 n ~map:turn ~combine:( + ) ~init:0 in
  let rec rest sum =
    match Linden_pq.pop_min queue with
    | Some _ as x -> rest (sum + weight_of x)
    | None -> sum
  in
  rest taken

let program : Program.t =
  {
    name = "linden-pq";
    about = "tasks that work, push what they made and pop what is first";
    entangled = true;
    allocates = true;
    size_is = "operations of each kind";
    size = 500_000;
    tiny = 2_000;
    prepare =
      (fun n fork () ->
        let sum = mix fork n in
        fun () -> sum land max_int);
  }
