(* classics.ml NAME: small programs of one domain, each with a different load for a
   collector. A program prints a result that does not depend on the runtime; programs.sh
   measures the times. Without a name, prints the names. *)

(* A linear congruential generator with the same numbers everywhere. *)
let seed = ref 1

let random n =
  seed := ((!seed * 25214903917) + 11) land 0xffff_ffff_ffff;
  (!seed lsr 17) mod n

(* Many short-lived trees beside one tree that stays. *)
module Trees = struct
  type t = Leaf | Node of t * t

  let rec make d = if d = 0 then Leaf else Node (make (d - 1), make (d - 1))
  let rec size = function Leaf -> 0 | Node (l, r) -> 1 + size l + size r

  let run () =
    let deepest = 21 in
    let kept = make deepest and sum = ref 0 in
    for i = 2 to deepest / 2 do
      let d = 2 * i in
      for _ = 1 to 1 lsl (deepest - d) do
        sum := !sum + size (make d)
      done
    done;
    !sum + size kept
end

(* A large table under constant change: stores of young strings into old buckets. *)
let table () =
  let t = Hashtbl.create 1024 and keys = 100_000 in
  for i = 1 to 1_000_000 do
    let key = "key " ^ string_of_int (random keys) in
    match Hashtbl.find_opt t key with
    | None -> Hashtbl.replace t key (string_of_int i)
    | Some s when i land 7 = 0 -> Hashtbl.replace t key (s ^ "'")
    | Some s when i land 63 = 1 && s <> "" -> Hashtbl.remove t key
    | Some _ -> ()
  done;
  Hashtbl.fold (fun _ s n -> n + String.length s) t (Hashtbl.length t)

(* Text: growing buffers, and strings that are split and joined again. *)
let text () =
  let sum = ref 0 in
  for i = 1 to 120 do
    let b = Buffer.create 16 in
    for k = 1 to 20_000 do
      Buffer.add_string b (string_of_int (i * k));
      Buffer.add_char b (if k land 15 = 0 then '\n' else ' ')
    done;
    let line s = String.concat "," (List.rev (String.split_on_char ' ' s)) in
    let lines = String.split_on_char '\n' (Buffer.contents b) in
    let all = String.concat "\n" (List.map line lines) in
    sum := !sum + Hashtbl.hash (Digest.string all)
  done;
  !sum

(* Shared lists, and short-lived closures. *)
let queens () =
  let n = 11 in
  let rec safe q d = function
    | [] -> true
    | x :: l -> x <> q && x <> q + d && x <> q - d && safe q (d + 1) l
  in
  let rec place k =
    if k = 0 then [ [] ]
    else
      List.concat_map
        (fun board ->
          List.filter_map
            (fun q -> if safe q 1 board then Some (q :: board) else None)
            (List.init n Fun.id))
        (place (k - 1))
  in
  let all () = List.length (place n) in
  all () + all ()

(* A persistent map that grows to a million entries, then changes. *)
module Ints = Map.Make (Int)

let map () =
  let n = 1_000_000 in
  let rec add i m =
    if i = 0 then m else add (i - 1) (Ints.add (random (2 * n)) i m)
  in
  let rec change i m =
    if i = 0 then m
    else
      let k = random (2 * n) in
      change (i - 1) (if i land 1 = 0 then Ints.remove k m else Ints.add k i m)
  in
  let m = change (n / 4) (add n Ints.empty) in
  Ints.fold (fun k i sum -> sum + (k lxor i)) m (Ints.cardinal m)

(* Hash-consing: terms in a weak set, most of them short-lived. *)
module Terms = struct
  type t = { id : int; node : node }
  and node = Var of int | App of t * t

  module Set = Weak.Make (struct
    type nonrec t = t

    let equal a b =
      match (a.node, b.node) with
      | Var i, Var j -> i = j
      | App (f, x), App (g, y) -> f == g && x == y
      | _ -> false

    let hash t =
      match t.node with Var i -> i | App (f, x) -> (f.id * 65599) + x.id
  end)

  let run () =
    let set = Set.create 4096 and next = ref 0 in
    let make node =
      let t = { id = !next; node } in
      let found = Set.merge set t in
      if found == t then incr next;
      found
    in
    let rec term d =
      if d = 0 then make (Var (random 50))
      else
        let f = term (d - 1) in
        make (App (f, term (d - 1)))
    in
    let rec size t =
      match t.node with Var i -> i | App (f, x) -> size f + size x
    in
    let kept = Array.init 64 (fun _ -> term 10) in
    for _ = 1 to 1200 do
      kept.(random 64) <- term 10
    done;
    Array.fold_left (fun sum t -> sum + size t) 0 kept
end

(* Recursion without tail calls: a deep stack while the program allocates much. *)
let deep () =
  let rec build n f =
    if n = 0 then []
    else
      let x = f n in
      x :: build (n - 1) f
  in
  let sum = ref 0 in
  for i = 1 to 12 do
    let l = build 200_000 (fun n -> (n * i, [ n; i ])) in
    let squares = List.map (fun (n, l) -> n + List.length l) l in
    sum := !sum + List.fold_left ( + ) 0 squares
  done;
  !sum

(* Many survivors: sorted lists, and permuted arrays of pairs. *)
let sort () =
  let l = List.init 300_000 (fun i -> (random 1_000_000, i)) in
  let a = Array.of_list (List.sort compare l) in
  for _ = 1 to 1_500_000 do
    let i = random (Array.length a) and j = random (Array.length a) in
    let x, n = a.(i) in
    a.(i) <- a.(j);
    a.(j) <- (x, n + 1)
  done;
  Array.stable_sort (fun (x, _) (y, _) -> Int.compare x y) a;
  Array.fold_left (fun sum (x, n) -> (sum * 31) + x + n) 0 a land 0xffff_ffff

(* A window that moves over long-lived data: the dying objects are old. *)
let window () =
  let q = Queue.create () and sum = ref 0 in
  for i = 1 to 3_000_000 do
    Queue.push (Some (float i), i) q;
    if Queue.length q > 200_000 then sum := !sum + snd (Queue.pop q)
  done;
  !sum + Queue.length q

let all =
  [
    ("trees", Trees.run);
    ("table", table);
    ("text", text);
    ("queens", queens);
    ("map", map);
    ("terms", Terms.run);
    ("deep", deep);
    ("sort", sort);
    ("window", window);
  ]

let () =
  match Sys.argv with
  | [| _; name |] -> Printf.printf "%d\n" ((List.assoc name all) ())
  | _ -> List.iter (fun (name, _) -> print_endline name) all
