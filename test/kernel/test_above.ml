(* Futures, loops and task graphs on the kernel's pool. *)

open Dromos_kernel
module Hub = Dromos_hub.Hub
module Ivar = Dromos_base.Ivar
module Gen = QCheck2.Gen

let seed =
  match Sys.getenv_opt "DROMOS_SEED" with
  | Some seed -> int_of_string seed
  | None -> Random.State.bits (Random.State.make_self_init ())

let property (QCheck2.Test.Test cell as test) =
  let name = QCheck2.Test.get_name cell in
  Alcotest.test_case name `Quick (fun () ->
      QCheck2.Test.check_exn ~rand:(Random.State.make [| seed |]) test)

let hubs =
  [|
    Dromos_hub.Std.maker;
    Dromos_hub.Private_.maker;
    Dromos_hub.Dealing.maker;
    Dromos_hub.Fifo.maker;
    Dromos_hub.Hybrid.maker;
  |]

let with_pool hub workers f =
  let pool =
    Pool.create ~hub:hub.Hub.make ~idle:(Atomic.make_contended 0)
      ~on_idle:ignore ~workers
  in
  Pool.start pool;
  match Pool.run pool f with
  | None -> failwith "refused"
  | Some result ->
      if not (Pool.close pool) then failwith "closed already";
      result

let check_int = Alcotest.(check int)

(* {1 Futures} *)

let futures () =
  with_pool hubs.(0) 2 (fun ctx ->
      let a = Future.return 20 in
      let b = Future.async ctx (fun _ -> 21) in
      let c = Future.map ctx a (fun _ a -> a + 1) in
      let d = Future.map ctx b (fun _ b -> b + 1) in
      check_int "return" 20 (Future.wait ctx a);
      check_int "async" 21 (Future.wait ctx b);
      check_int "map of a value" 21 (Future.wait ctx c);
      check_int "map of a task" 22 (Future.wait ctx d);
      Alcotest.(check (option int)) "peek" (Some 22) (Future.peek d);
      let ivar = Ivar.create () in
      Future.iter ctx d (fun ctx v -> ignore (Ivar.set ctx ivar v));
      Pool.wait_ivar ctx ivar;
      Alcotest.(check (option int)) "iter" (Some 22) (Ivar.peek ivar))

(* The chain is complete before the first value comes, so the whole chain is in
   memory at once. *)
let long_chain () =
  let n = 1_000_000 in
  let value =
    with_pool hubs.(0) 1 (fun ctx ->
        let first = Future.async ctx (fun _ -> 0) in
        let last = ref first in
        for _ = 1 to n do
          last := Future.map ctx !last (fun _ v -> v + 1)
        done;
        Future.wait ctx !last)
  in
  check_int "links" n value;
  let mb = (Gc.quick_stat ()).Gc.top_heap_words * 8 / 1_000_000 in
  Printf.printf "%d MB at most\n%!" mb;
  if mb > 250 then Alcotest.failf "a million links took %d MB" mb

(* {1 Loops} *)

type loop = {
  hub : int;
  workers : int;
  beg : int;
  length : int;
  chunk : int option;
}

let loop =
  let open Gen in
  let* hub = int_bound (Array.length hubs - 1) in
  let* workers = int_range 1 3 in
  let* beg = int_range (-50) 50 in
  let* length = oneof [ int_range (-3) 20; int_bound 3000 ] in
  let* chunk = option (oneof [ int_range (-1) 5; int_bound 4000 ]) in
  return { hub; workers; beg; length; chunk }

let print_loop { hub; workers; beg; length; chunk } =
  Printf.sprintf "hub %d, %d workers, %d indices from %d, chunk %s" hub workers
    length beg
    (match chunk with None -> "-" | Some c -> string_of_int c)

let test_loop name holds =
  property
    (QCheck2.Test.make ~name ~count:60 ~print:print_loop loop (fun l ->
         with_pool hubs.(l.hub) l.workers (fun ctx ->
             holds ctx l (l.beg + l.length))))

let each_once ctx l end_ =
  let hits = Array.init (Int.max 0 l.length) (fun _ -> Atomic.make 0) in
  let chunk_ok = Atomic.make true in
  Algo.for_ ctx ~beg:l.beg ~end_ ~chunk:l.chunk (fun _ lo hi ->
      (match l.chunk with
      | Some c when hi - lo > Int.max 1 c -> Atomic.set chunk_ok false
      | _ -> ());
      for i = lo to hi - 1 do
        Atomic.incr hits.(i - l.beg)
      done);
  Algo.for_each ctx ~beg:l.beg ~end_ ~chunk:l.chunk (fun _ i ->
      Atomic.incr hits.(i - l.beg));
  Atomic.get chunk_ok && Array.for_all (fun h -> Atomic.get h = 2) hits

(* The operation is not commutative: ranges must be neighbours, in order. *)
let fold_in_order ctx l end_ =
  let merge (a, b) (c, d) = if b = c then (a, d) else (min_int, max_int) in
  let body _ lo hi = (lo, hi) in
  let empty = (max_int, min_int) in
  Algo.fold ctx ~beg:l.beg ~end_ ~chunk:l.chunk ~body ~merge empty
  = if l.length <= 0 then empty else (l.beg, end_)

let find_first ctx l end_ =
  List.for_all
    (fun modulus ->
      let holds i = i land max_int mod modulus = modulus - 1 in
      let rec first i =
        if i >= end_ then None else if holds i then Some i else first (i + 1)
      in
      Algo.find ctx ~beg:l.beg ~end_ ~chunk:l.chunk (fun _ i -> holds i)
      = first l.beg)
    [ 1; 7; 1000; 100_000 ]

(* {1 Graphs} *)

type graph = {
  g_hub : int;
  g_workers : int;
  size : int;
  edges : (int * int) list; (* from the smaller to the larger number *)
  again : int list; (* vertices that yield once *)
}

let graph =
  let open Gen in
  let* g_hub = int_bound (Array.length hubs - 1) in
  let* g_workers = int_range 1 3 in
  let* size = int_range 1 60 in
  let edge =
    let+ a = int_bound (size - 1) and+ b = int_bound (size - 1) in
    (Int.min a b, Int.max a b)
  in
  let* edges = list_size (int_bound (3 * size)) edge in
  let* again = list_size (int_bound 10) (int_bound (size - 1)) in
  let edges = List.filter (fun (a, b) -> a < b) edges in
  return { g_hub; g_workers; size; edges; again }

let print_graph g =
  Printf.sprintf "hub %d, %d workers, %d vertices, %s; again %s" g.g_hub
    g.g_workers g.size
    (String.concat " "
       (List.map (fun (a, b) -> Printf.sprintf "%d-%d" a b) g.edges))
    (String.concat " " (List.map string_of_int g.again))

(* A clock with a tick at every start and end; each vertex notes the two
   times. *)
type trace = {
  clock : int Atomic.t;
  started : int array;
  ended : int array;
  runs : int Atomic.t array;
}

let trace size =
  {
    clock = Atomic.make 0;
    started = Array.make size (-1);
    ended = Array.make size (-1);
    runs = Array.init size (fun _ -> Atomic.make 0);
  }

let now t = Atomic.fetch_and_add t.clock 1

let note t i first_run =
  Atomic.incr t.runs.(i);
  if first_run then t.started.(i) <- now t

let respected g t =
  let times i = if List.mem i g.again then 2 else 1 in
  Array.for_all Fun.id
    (Array.init g.size (fun i -> Atomic.get t.runs.(i) = times i))
  && List.for_all (fun (a, b) -> t.ended.(a) < t.started.(b)) g.edges

let vertices g t =
  Array.init g.size (fun i ->
      let v = Vertex.create ignore in
      let last ctx =
        ignore ctx;
        note t i false;
        t.ended.(i) <- now t
      in
      let first _ =
        note t i true;
        if List.mem i g.again then begin
          Vertex.set_task v last;
          Vertex.yield v
        end
        else t.ended.(i) <- now t
      in
      Vertex.set_task v first;
      v)

(* All edges first, then releases in any order; closing waits for the rest. *)
let static_graph g =
  let t = trace g.size in
  with_pool hubs.(g.g_hub) g.g_workers (fun ctx ->
      let vs = vertices g t in
      List.iter (fun (a, b) -> Vertex.precede vs.(a) vs.(b)) g.edges;
      for i = g.size - 1 downto 0 do
        Vertex.release ctx vs.(i)
      done);
  respected g t

(* A vertex is released as soon as its own edges are there; its predecessors may
   run already. *)
let growing_graph g =
  let t = trace g.size in
  with_pool hubs.(g.g_hub) g.g_workers (fun ctx ->
      let vs = vertices g t in
      for b = 0 to g.size - 1 do
        List.iter
          (fun (a, b') -> if b = b' then Vertex.precede vs.(a) vs.(b))
          g.edges;
        Vertex.release ctx vs.(b)
      done);
  respected g t

let test_graph name holds =
  property (QCheck2.Test.make ~name ~count:80 ~print:print_graph graph holds)

(* A vertex waits, without a stack, for its own children. *)
let children () =
  let sum = Atomic.make 0 and seen = Atomic.make (-1) in
  let after = Atomic.make (-1) in
  with_pool hubs.(0) 3 (fun ctx ->
      let parent = Vertex.create ignore and next = Vertex.create ignore in
      Vertex.set_task parent (fun ctx ->
          for k = 1 to 100 do
            let add _ = ignore (Atomic.fetch_and_add sum k) in
            let child = Vertex.create add in
            Vertex.precede child parent;
            Vertex.release ctx child
          done;
          Vertex.set_task parent (fun _ -> Atomic.set seen (Atomic.get sum));
          Vertex.yield parent);
      Vertex.set_task next (fun _ -> Atomic.set after (Atomic.get seen));
      Vertex.precede parent next;
      Vertex.release ctx next;
      Vertex.release ctx parent);
  check_int "after all children" 5050 (Atomic.get seen);
  check_int "its successor after it" 5050 (Atomic.get after)

let () =
  Printf.printf "DROMOS_SEED=%d\n%!" seed;
  let case what f = Alcotest.test_case what `Quick f in
  Alcotest.run "above the pool"
    [
      ("future", [ case "values" futures; case "long chain" long_chain ]);
      ( "algo",
        [
          test_loop "each index once" each_once;
          test_loop "fold in order" fold_in_order;
          test_loop "find the first" find_first;
        ] );
      ( "vertex",
        [
          test_graph "static graphs" static_graph;
          test_graph "growing graphs" growing_graph;
          case "children" children;
        ] );
    ]
