(* The data of the tasks driven by hand (driven.ml), and the actions on the data. Nodes
   point to each other, and each kind of object that collections treat specially occurs in
   nodes. A node can tell if its contents are intact. Several domains may change a node at
   once. *)

open Effect.Deep

type memory =
  (int, Bigarray.int8_unsigned_elt, Bigarray.c_layout) Bigarray.Array1.t

type node = {
  id : int;
  mutable text : string;
  mutable links : node array;
  mutable weak : node Weak.t option;
  mutable tied : (node, node) Ephemeron.K1.t option;
      (* the key is the node itself *)
  mutable waits : (unit, node) continuation option;
  large : string;
  memory : memory option;
}

type t = { nodes : node array; mutable count : int }

let int = Random.State.int
let chance st n = int st n = 0

(* {1 Looking} *)

let text_of id = string_of_int (id * 7919)
let last s = s.[String.length s - 1]

let is_itself n =
  Check.must "a text" (String.equal n.text (text_of n.id));
  Check.must "a large string" (n.large = "" || last n.large = 'x');
  Option.iter (fun m -> Check.must "memory" (m.{3} = n.id land 255)) n.memory

let look_at_tied n e =
  match Ephemeron.K1.query e n with
  | None -> Check.must "its key lives" false
  | Some data -> is_itself data

let look n =
  is_itself n;
  Option.iter (fun w -> Option.iter is_itself (Weak.get w 0)) n.weak;
  Option.iter (look_at_tied n) n.tied

let pick st w =
  let rec go n steps =
    look n;
    let links = n.links in
    if steps = 0 || links = [||] then n
    else go links.(int st (Array.length links)) (steps - 1)
  in
  go w.nodes.(int st w.count) (int st 6)

(* {1 Making} *)

let ids = Atomic.make 0

let memory st id =
  if chance st 50 then begin
    let m = Bigarray.(Array1.create int8_unsigned c_layout 1000) in
    Bigarray.Array1.fill m (id land 255);
    Some m
  end
  else None

let large st =
  match int st 400 with
  | 0 -> String.make 40_000 'x'
  | 1 | 2 -> String.make 3_000 'x'
  | _ -> ""

let node st links =
  let id = Atomic.fetch_and_add ids 1 in
  let text = text_of id and large = large st and memory = memory st id in
  let weak = None and tied = None and waits = None in
  { id; text; links; weak; tied; waits; large; memory }

let fresh st w = node st (Array.init (int st 4) (fun _ -> pick st w))
let some st w = if chance st 2 then pick st w else fresh st w

(* The nodes that a branch gets, or returns. *)
let part st w = Array.init (1 + int st 8) (fun _ -> pick st w)

let of_part part =
  let nodes = Array.make 16 part.(0) in
  Array.blit part 0 nodes 0 (Array.length part);
  { nodes; count = Array.length part }

let make st = of_part [| node st [||] |]

let begin_anew st w =
  Array.fill w.nodes 0 (Array.length w.nodes) (node st [||]);
  w.count <- 1

let add st w n =
  if w.count = Array.length w.nodes then w.nodes.(int st w.count) <- n
  else begin
    w.nodes.(w.count) <- n;
    w.count <- w.count + 1
  end

(* {1 What a task does} *)

let known = Array.init 6 (fun _ -> Atomic.make None)
let any_known st = known.(int st (Array.length known))

let let_go_of_all st w =
  Array.iter (fun a -> Atomic.set a None) known;
  begin_anew st w

let add_new st w = add st w (fresh st w)

let link st w =
  let links = (pick st w).links in
  if links <> [||] then links.(int st (Array.length links)) <- some st w

let link_anew st w =
  (pick st w).links <- Array.init (int st 5) (fun _ -> pick st w)

let link_much st w =
  if chance st 20 then (pick st w).links <- Array.make 5_000 (some st w)

let write st w =
  let n = pick st w in
  n.text <- text_of n.id

(* Sometimes makes so many nodes that a fork bulk-pins the heap. *)
let add_chain st w =
  let most = if chance st 8 then 8_000 else 800 in
  let rec chain n length =
    if length = 0 then n else chain (node st [| n |]) (length - 1)
  in
  add st w (chain (pick st w) (int st most))

let forget _ w = if w.count > 1 then w.count <- w.count - 1
let make_known st w = Atomic.set (any_known st) (Some (some st w))
let hear st w = Option.iter (add st w) (Atomic.get (any_known st))
let unmake_known st _ = Atomic.set (any_known st) None

let point_weakly st w =
  let n = pick st w and weak = Weak.create 1 in
  Weak.set weak 0 (Some (pick st w));
  n.weak <- Some weak

let point_again st w =
  let set weak = Weak.set weak 0 (Some (some st w)) in
  Option.iter set (pick st w).weak

let tie st w =
  let n = pick st w in
  n.tied <- Some (Ephemeron.K1.make n (some st w))

let finalise st w =
  let revive n =
    look n;
    if n.id land 3 = 0 then Atomic.set known.(0) (Some n)
  in
  if chance st 3 then Gc.finalise revive (pick st w)

type _ Effect.t += Wait : unit Effect.t

(* The stack of the fiber holds nodes that no other pointer reaches, and shared nodes. *)
let suspended st w =
  let kept = ref None and mine = pick st w in
  let effc : type a. a Effect.t -> ((a, node) continuation -> node) option =
    function
    | Wait ->
        Some
          (fun (k : (unit, node) continuation) ->
            kept := Some k;
            mine)
    | _ -> None
  in
  let rec deep n alone =
    if n = 0 then Effect.perform Wait
    else begin
      look (deep (n - 1) (fresh st w));
      look alone
    end;
    if n land 1 = 0 then alone else mine
  in
  ignore (try_with (deep 5) mine { effc } : node);
  !kept

let suspend st w = (pick st w).waits <- suspended st w

let resume st w =
  let n = pick st w in
  let go_on k =
    n.waits <- None;
    match continue k () with
    | m -> add st w m
    | exception Effect.Continuation_already_resumed -> ()
  in
  Option.iter go_on n.waits

let collect st _ =
  if chance st 6 then Gc.minor ();
  if chance st 300 then Gc.major ();
  if chance st 600 then Gc.full_major ()

let all =
  let often = [ add_new; link; link ] in
  let rarely =
    [
      (fun st _ -> Check.garbage (int st 2000));
      (fun st w -> look (pick st w));
      add_chain;
      collect;
      finalise;
      forget;
      hear;
      link_anew;
      link_much;
      make_known;
      point_again;
      point_weakly;
      resume;
      resume;
      suspend;
      tie;
      unmake_known;
      write;
      write;
    ]
  in
  Array.of_list (rarely @ often @ often @ often)

let act st w =
  Check.repeat (int st 12) (fun () -> all.(int st (Array.length all)) st w)
