(* All tasks contend for the queue; a task usually takes an element that a concurrent task
   has made. The sum of all taken elements does not depend on the schedule. *)

open Suite_structures

let weight_of = function Some (i, page) -> i lxor Work.weight page | None -> 0

let mix (module F : Program.Fork) n =
  let queue = Ms_queue.create () in
  let turn i =
    Ms_queue.push queue (i, Work.page i);
    weight_of (Ms_queue.pop queue)
  in
  let taken = F.map_reduce 0 n ~map:turn ~combine:( + ) ~init:0 in
  let rec rest sum =
    match Ms_queue.pop queue with
    | Some _ as x -> rest (sum + weight_of x)
    | None -> sum
  in
  rest taken

let program : Program.t =
  {
    name = "ms-queue";
    about = "tasks that work and pass what they made through one queue";
    entangled = true;
    allocates = true;
    size_is = "operations of each kind";
    size = 1_000_000;
    tiny = 2_000;
    prepare =
      (fun n fork () ->
        let sum = mix fork n in
        fun () -> sum land max_int);
  }
