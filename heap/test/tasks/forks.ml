(* Fork-join tasks through Dromos's public interface: the arguments, results and shared
   data of branches, and the data that they leave behind, whichever worker runs them. The
   program runs on OCaml's own runtime and on the heap variant. On the variant the program
   also checks that each task's heap has been merged at the end. *)

let must what b =
  if not b then begin
    Printf.printf "FAIL forks: %s\n%!" what;
    exit 1
  end

let workers = 4

let case name f =
  f ();
  Printf.printf "PASS forks: %s\n%!" name

let garbage n = ignore (Sys.opaque_identity (List.init n string_of_int))
let both = Dromos.both
let in_run f = Dromos.run ~workers f

(* Waits until a second worker has taken the other branch, but not for ever: a second
   worker may be missing. *)
let rec await flag rounds =
  if rounds > 0 && not (Atomic.get flag) then begin
    Domain.cpu_relax ();
    await flag (rounds - 1)
  end

(* On a busy machine the second worker runs only while this worker sleeps. *)
let rec wait_until ?(spins = 1_000) f =
  if not (f ()) then begin
    if spins > 0 then Domain.cpu_relax () else Unix.sleepf 1e-5;
    wait_until ~spins:(spins - 1) f
  end

(* Results are as large as the trees that branches build. *)
type tree = Leaf | Node of tree * string * tree

let rec build lo hi =
  if lo >= hi then Leaf
  else
    let mid = (lo + hi) / 2 in
    let l, r = both (fun () -> build lo mid) (fun () -> build (mid + 1) hi) in
    Node (l, string_of_int mid, r)

let rec sum = function
  | Leaf -> 0
  | Node (l, s, r) ->
      let a, b = both (fun () -> sum l) (fun () -> sum r) in
      a + int_of_string s + b

let trees () =
  let n = 60_000 in
  for _ = 1 to 3 do
    in_run (fun () ->
        let t = build 0 n in
        must "the tree of a run" (sum t = n * (n - 1) / 2))
  done;
  let kept = in_run (fun () -> build 0 n) in
  garbage 100_000;
  must "a run's result" (in_run (fun () -> sum kept) = n * (n - 1) / 2)

(* The list for a branch is made just before the fork. *)
let rec split k left right =
  match right with
  | x :: rest when k > 0 -> split (k - 1) (x :: left) rest
  | _ -> (left, right)

let rec sort = function
  | ([] | [ _ ]) as l -> l
  | l ->
      let left, right = split (List.length l / 2) [] l in
      let a, b = both (fun () -> sort left) (fun () -> sort right) in
      List.merge String.compare a b

let sorts () =
  let l = List.init 20_000 (fun i -> string_of_int (i * 7919 land 0xffff)) in
  must "sorted" (in_run (fun () -> sort l) = List.sort String.compare l)

(* Branches write into shared arrays, and read the writes of other branches. *)
let sharing () =
  let n = 1 lsl 13 in
  in_run (fun () ->
      let cells = Array.make n [] in
      let rec fill lo hi =
        if hi - lo = 1 then begin
          cells.(lo) <- [ string_of_int lo ];
          match cells.(n - 1 - lo) with
          | [] -> ()
          | s :: _ ->
              must "another's" (int_of_string s = n - 1 - lo);
              cells.(lo) <- string_of_int lo :: cells.(n - 1 - lo)
        end
        else
          let mid = (lo + hi) / 2 in
          ignore (both (fun () -> fill lo mid) (fun () -> fill mid hi))
      in
      for _ = 1 to 5 do
        fill 0 n;
        garbage 1000;
        Array.iteri
          (fun i l -> must "its own" (int_of_string (List.hd l) = i))
          cells
      done)

(* A lock-free stack across the tree of tasks: values of deep tasks move up, and down
   again into other tasks. *)
let entangled () =
  let top = Atomic.make [] in
  let rec push x =
    let old = Atomic.get top in
    if not (Atomic.compare_and_set top old (x :: old)) then push x
  in
  let rec pop () =
    match Atomic.get top with
    | [] -> None
    | x :: rest as old ->
        if Atomic.compare_and_set top old rest then Some x else pop ()
  in
  let local = Domain.DLS.new_key (fun () -> ref "0") in
  let rec go depth k =
    if depth = 0 then begin
      push (ref (string_of_int k));
      Domain.DLS.get local := string_of_int (k + 1);
      match pop () with
      | Some r ->
          must "a number" (int_of_string_opt !r <> None);
          r := string_of_int (int_of_string !r + 1);
          1
      | None -> 0
    end
    else
      let mine = ref (string_of_int k) in
      let a, b =
        both
          (fun () ->
            mine := string_of_int (k + 1);
            go (depth - 1) (2 * k))
          (fun () -> go (depth - 1) ((2 * k) + 1))
      in
      must "the fork's own" (!mine = string_of_int (k + 1));
      a + b
  in
  in_run (fun () ->
      for _ = 1 to 4 do
        ignore (go 12 1 : int)
      done)

exception Found of string list

let rec search depth k =
  if depth = 0 then begin
    garbage 20;
    if k land 63 = 17 then raise (Found [ string_of_int k; "there" ])
  end
  else
    ignore
      (both
         (fun () -> search (depth - 1) (2 * k))
         (fun () -> search (depth - 1) ((2 * k) + 1)))

let exceptions () =
  for _ = 1 to 20 do
    match in_run (fun () -> search 10 0) with
    | () -> must "raised" false
    | exception Found [ k; "there" ] ->
        must "the leftmost" (int_of_string k = 17)
    | exception Found _ -> must "its argument" false
  done

(* Branches wait for each other: the fibers leave their domain, and continue on a
   further one. *)
let waiting () =
  in_run (fun () ->
      Dromos.Scope.run (fun scope ->
          let rec go depth k =
            if depth = 0 then begin
              let local = List.init 20 (fun i -> string_of_int (i + k)) in
              let p =
                Dromos.Scope.async scope (fun () ->
                    garbage 50;
                    Dromos.yield ();
                    string_of_int k)
              in
              let s = Dromos.await p in
              must "the awaited" (int_of_string s = k);
              List.iteri
                (fun i s -> must "its own" (int_of_string s = i + k))
                local;
              local
            end
            else
              let a, b =
                both
                  (fun () -> go (depth - 1) (2 * k))
                  (fun () ->
                    Dromos.yield ();
                    go (depth - 1) ((2 * k) + 1))
              in
              garbage 100;
              must "both" (List.length a = List.length b);
              List.map2 (fun _ y -> y) a b
          in
          for _ = 1 to 3 do
            ignore (go 8 1 : string list)
          done))

(* A chain of forks deeper than the depths that the runtime tells apart. *)
let deep () =
  let rec chain n =
    if n = 0 then [ "0" ]
    else
      let here = string_of_int n in
      let l, m =
        both
          (fun () -> chain (n - 1))
          (fun () ->
            garbage 3;
            n)
      in
      must "its own" (int_of_string here = m);
      here :: l
  in
  must "all of them" (List.length (in_run (fun () -> chain 3000)) = 3001)

(* A program captures a continuation inside a fork, and a further branch resumes the
   continuation: forks that do not end in order. *)
type _ Effect.t += Stop : int -> string Effect.t

type stopped =
  | Over of string
  | At of int * (string, stopped) Effect.Deep.continuation

let stops body =
  let effc : type b.
      b Effect.t -> ((b, stopped) Effect.Deep.continuation -> stopped) option =
    function
    | Stop k -> Some (fun c -> At (k, c))
    | _ -> None
  in
  Effect.Deep.match_with body ()
    { retc = (fun v -> Over v); exnc = raise; effc }

let captured () =
  let one k () =
    let kept = List.init 10 (fun i -> string_of_int (i * k)) in
    let s, l =
      both
        (fun () -> Effect.perform (Stop k))
        (fun () ->
          garbage 30;
          kept)
    in
    must "the value it kept" (l == kept && int_of_string s = k);
    s
  in
  in_run (fun () ->
      for k = 1 to 300 do
        match stops (one k) with
        | Over _ -> must "stopped" false
        | At (n, c) -> (
            garbage 50;
            let other, r =
              both
                (fun () -> stops (one (k + 1000)))
                (fun () -> Effect.Deep.continue c (string_of_int n))
            in
            (match r with
            | Over s -> must "over" (int_of_string s = k)
            | At _ -> must "once" false);
            match other with
            | Over _ -> must "stopped too" false
            | At (n, c) -> (
                match Effect.Deep.continue c (string_of_int n) with
                | Over s -> must "over too" (int_of_string s = k + 1000)
                | At _ -> must "once too" false))
      done)

(* A task ends while a fork inside the task is open. A second task continues the captured
   continuation, while a fork of its own, of equal depth, is open. *)
let left_open () =
  (* A second worker runs the second branch, if there is a second worker. *)
  let beside f g =
    let begun = Atomic.make false in
    both
      (fun () ->
        await begun 1_000_000;
        f ())
      (fun () ->
        Atomic.set begun true;
        g ())
  in
  let opens () =
    stops (fun () -> fst (beside (fun () -> Effect.perform (Stop 7)) ignore))
  in
  let goes_on c () =
    let given = List.init 200 string_of_int and over = Atomic.make false in
    let rec look () =
      garbage 20;
      List.iteri (fun i s -> must "given" (s = string_of_int i)) given;
      if not (Atomic.get over) then look ()
    in
    let ends () =
      (match Effect.Deep.continue c "7" with
      | Over s -> must "the value it waited for" (s = "7")
      | At _ -> must "only once" false);
      for _ = 1 to 20 do
        garbage 2_000
      done;
      Atomic.set over true
    in
    ignore (beside ends look : unit * unit)
  in
  in_run (fun () ->
      for _ = 1 to 30 do
        match beside ignore opens with
        | (), Over _ -> must "left open" false
        | (), At (_, c) -> ignore (beside ignore (goes_on c) : unit * unit)
      done)

(* One branch publishes a cell with a continuation, while the second branch, which has the
   cell already, resumes the continuation. *)
module Resumed = struct
  open Effect.Deep

  type _ Effect.t += Wait : int Effect.t
  type cell = { k : (int, int) continuation }

  let suspended () =
    let kept = ref None in
    let rec deep n = if n = 0 then Effect.perform Wait else 1 + deep (n - 1) in
    let effc : type a. a Effect.t -> ((a, int) continuation -> int) option =
      function
      | Wait ->
          Some
            (fun (k : (int, int) continuation) ->
              kept := Some k;
              0)
      | _ -> None
    in
    ignore (try_with deep 2_000 { effc } : int);
    { k = Option.get !kept }

  let known : cell option ref = ref None

  let give slot =
    for _ = 1 to 600 do
      let c = suspended () in
      Atomic.set slot (Some c);
      known := Some c;
      known := None;
      wait_until (fun () -> Atomic.get slot = None)
    done

  let rec take slot stop n =
    wait_until (fun () -> Atomic.get slot <> None || Atomic.get stop);
    match Atomic.get slot with
    | Some c ->
        for _ = 1 to n * 37 mod 400 do
          Domain.cpu_relax ()
        done;
        must "resumed" (continue c.k n = n + 2_000);
        Atomic.set slot None;
        take slot stop (n + 1)
    | None -> ()

  let run () =
    in_run (fun () ->
        for _ = 1 to 4 do
          let slot = Atomic.make None and stop = Atomic.make false in
          let taken = Atomic.make false in
          let give () =
            await taken 1_000_000;
            if Atomic.get taken then give slot;
            Atomic.set stop true
          and take () =
            Atomic.set taken true;
            take slot stop 1
          in
          ignore (both give take : unit * unit)
        done)
end

(* A branch gets a structure too large for the fork's walk, and publishes a continuation
   from the structure. The runtime has to count the pinned bytes of the stack, which no
   walk has visited, so that it can subtract them later. *)
let stranded () =
  let known = Atomic.make None in
  let give k =
    let c = Resumed.suspended () in
    let given = (c, List.init 20_000 string_of_int) in
    let begun = Atomic.make false in
    let make_known () =
      Atomic.set begun true;
      let c, l = given in
      must "given" (List.length l = 20_000);
      Atomic.set known (Some c)
    in
    ignore (both (fun () -> await begun 1_000_000) make_known : unit * unit);
    match Atomic.exchange known None with
    | Some c -> must "resumed" (Effect.Deep.continue c.Resumed.k k = k + 2_000)
    | None -> must "known" false
  in
  in_run (fun () ->
      for k = 1 to 10 do
        give k
      done);
  Gc.full_major ();
  match Dromos_heap.stats () with
  | None -> ()
  | Some { pinned; most_pinned; _ } ->
      must "the pinned objects" (pinned >= 0 && pinned < 1 lsl 30);
      must "the most pinned" (most_pinned >= 0 && most_pinned < 1 lsl 30)

(* Objects that branches have published are private after the join, and a full collection
   may leave them in place: dead ones are freed, the rest stays unchanged. *)
let expired () =
  let n = 1 lsl 16 in
  let rec fill a round lo hi =
    if hi - lo <= 64 then
      for i = lo to hi - 1 do
        a.(i) <- [ string_of_int (i + round) ]
      done
    else
      let mid = (lo + hi) / 2 in
      ignore
        (both (fun () -> fill a round lo mid) (fun () -> fill a round mid hi)
          : unit * unit)
  in
  let check a round keeps =
    Array.iteri
      (fun i s ->
        must "as it was"
          (s = if keeps i then [ string_of_int (i + round) ] else []))
      a
  in
  in_run (fun () ->
      for round = 1 to 6 do
        let a = Array.make n [] in
        fill a round 0 n;
        garbage 50_000;
        check a round (fun _ -> true);
        let keeps i = i / 100 mod round = 0 in
        Array.iteri (fun i _ -> if not (keeps i) then a.(i) <- []) a;
        garbage 50_000;
        Array.iteri
          (fun i s -> if keeps i then a.(i) <- List.map String.(cat "") s)
          a;
        garbage 50_000;
        check a round keeps
      done)

(* Checks only on a runtime with heaps of tasks. *)
let heaps () =
  match Dromos_heap.stats () with
  | None -> ()
  | Some { splits; merges; _ } ->
      must "tasks had heaps" (splits > 0);
      must "each was merged" (splits = merges)

let () =
  case "trees" trees;
  case "values given to branches" sorts;
  case "shared arrays" sharing;
  case "expired objects" expired;
  case "entangled" entangled;
  case "exceptions" exceptions;
  case "branches that wait" waiting;
  case "deeper than depths" deep;
  case "continuations that two have" Resumed.run;
  case "continuations set apart" stranded;
  case "heaps come and go" heaps;
  case "forks that end out of order" captured;
  case "forks that are left open" left_open
