let elements ~n ~cutoff:_ =
  let input = Array.init n Fun.id in
  fun () ->
    let squares = Array.map (fun x -> x * x land 1023) input in
    let sum = Array.fold_left ( + ) 0 squares in
    fun () -> sum

let sorted ~n ~cutoff:_ =
  let input = Array.init n (fun i -> i * 7919 land 0xfffff) in
  fun () ->
    let a = Array.copy input in
    Array.stable_sort Int.compare a;
    fun () -> a.(n / 2)

(* A suspended computation for a task. *)
let tasks ~n ~cutoff:_ () =
  let made = List.init n (fun i -> lazy (Sys.opaque_identity i land 1)) in
  let sum = List.fold_left (fun sum p -> sum + Lazy.force p) 0 made in
  fun () -> sum

module Deadlines = Map.Make (struct
  type t = int * int

  let compare (a, i) (b, j) =
    match Int.compare a b with 0 -> Int.compare i j | order -> order
end)

(* A map from deadlines to functions. *)
let timers ~n ~cutoff:_ () =
  let deadline i = (i * 7919 land 0xfffff, i) in
  let queue = ref Deadlines.empty in
  for i = 0 to n - 1 do
    queue := Deadlines.add (deadline i) ignore !queue
  done;
  for i = 0 to n - 1 do
    queue := Deadlines.remove (deadline i) !queue
  done;
  fun () -> n - Deadlines.cardinal !queue

(* A recursion with an action on the way back. *)
let deep ~n ~cutoff:_ () =
  let back = ref 0 in
  let rec deep d =
    if d = 0 then 0
    else 1 + Fun.protect ~finally:(fun () -> incr back) (fun () -> deep (d - 1))
  in
  let result = deep n in
  fun () -> min result !back

let width = 100

type vertex = { mutable missing : int; mutable next : vertex list }

(* Kahn's algorithm, the vertices that are ready in a queue. *)
let dag ~n ~cutoff:_ () =
  let vertices = Array.init n (fun _ -> { missing = 0; next = [] }) in
  let precede a b =
    b.missing <- b.missing + 1;
    a.next <- b :: a.next
  in
  for i = width to n - 1 do
    precede vertices.(i - width) vertices.(i);
    precede vertices.(i - width + 1) vertices.(i)
  done;
  let ready = Queue.create () and ran = ref 0 in
  Array.iter (fun v -> if v.missing = 0 then Queue.push v ready) vertices;
  while not (Queue.is_empty ready) do
    let v = Queue.pop ready in
    incr ran;
    let released w =
      w.missing <- w.missing - 1;
      if w.missing = 0 then Queue.push w ready
    in
    List.iter released v.next
  done;
  fun () -> !ran

let jobs =
  [
    ("grow_elements", elements);
    ("grow_sorted", sorted);
    ("grow_tasks", tasks);
    ("grow_timers", timers);
    ("grow_scopes", deep);
    ("grow_nested", deep);
    ("grow_forks", deep);
    ("grow_dag", dag);
  ]
