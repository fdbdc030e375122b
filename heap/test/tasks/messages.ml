(* A fiber sends large messages to a second fiber, and the receiver keeps the last few.
   Only cycles find the dropped messages. The first cycles find few, since few messages
   have been dropped by then; later cycles must come all the same. Memory that a cycle
   frees is free even if a full collection had to treat the message as alive. *)

type tree = Leaf | Node of tree * int * tree

let rec build depth =
  if depth = 0 then Leaf else Node (build (depth - 1), depth, build (depth - 1))

let rec nodes = function
  | Leaf -> 0
  | Node (left, _, right) -> nodes left + 1 + nodes right

let depth = 16
let messages = 250
let kept = 16

let send channel () =
  Check.repeat messages (fun () -> Dromos.Channel.send channel (build depth))

let receive channel () =
  let last = Array.make kept Leaf in
  for i = 1 to messages do
    let tree = Dromos.Channel.recv channel in
    Check.must "a message" (nodes tree = (1 lsl depth) - 1);
    last.(i mod kept) <- tree
  done;
  let alive = Array.fold_left (fun n tree -> n + nodes tree) 0 last in
  Check.must "the last ones" (alive = kept * ((1 lsl depth) - 1))

let mib n = n lsl 20

let most_held () =
  match Dromos_heap.stats () with
  | Some stats -> stats.most_held
  | None -> failwith "this is not the variant"

let () =
  Check.case "the last of many messages are held" (fun () ->
      Dromos.run ~workers:2 (fun () ->
          let channel = Dromos.Channel.create ~capacity:4 () in
          Dromos.Scope.run (fun scope ->
              Dromos.Scope.fork scope (send channel);
              Dromos.Scope.fork scope (receive channel)));
      (* 140 MB as a rule, and half of all messages on a busy machine, where the answers
         of a cycle take long. *)
      let most = most_held () in
      Check.must (Printf.sprintf "%d bytes were held" most) (most < mib 256))
