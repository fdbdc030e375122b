(* Inner loops stop between any two iterations. Each loop runs with a step that
   sets the signal at each of its elements in turn, and then runs from there
   on. *)

module Inner = Dromos_inner

let n = 11

(* [loop at] makes a loop of [n] elements that calls [at] with the index of
   each. *)
let runs : (string * ((int -> unit) -> Inner.run)) list =
  let a = Array.init n Fun.id in
  let b () = Array.make n 0 in
  let f = Float.Array.init n float_of_int in
  let g () = Float.Array.make n 0. in
  let same at x =
    at x;
    x
  and float at x =
    at (int_of_float x);
    x
  in
  let no_hit _ _ = assert false in
  [
    ("body", fun at -> Inner.body at);
    ("iter", fun at -> Inner.iter at a);
    ("iteri", fun at -> Inner.iteri (fun _ -> at) a);
    ("iter2", fun at -> Inner.iter2 (fun _ -> at) a a);
    ("init", fun at -> Inner.init (same at) (b ()));
    ("map", fun at -> Inner.map (same at) a (b ()));
    ("mapi", fun at -> Inner.mapi (fun _ -> same at) a (b ()));
    ("map2", fun at -> Inner.map2 (fun _ -> same at) a a (b ()));
    ( "flags",
      fun at -> Inner.flags (fun x -> same at x > 0) a (Bytes.make n ' ') );
    ( "options",
      fun at -> Inner.options (fun x -> Some (same at x)) a (Array.make n None)
    );
    ( "find_map",
      fun at ->
        Inner.find_map no_hit (fun i ->
            at i;
            None) );
    ("find", fun at -> Inner.find no_hit (fun i -> same at i < 0) true);
    ( "find_element",
      fun at -> Inner.find_element no_hit (fun x -> same at x < 0) a true );
    ("float_iteri", fun at -> Inner.float_iteri (fun i _ -> at i) f);
    ( "float_init",
      fun at -> Inner.float_init (fun i -> float at (float_of_int i)) (g ()) );
    ("float_map", fun at -> Inner.float_map (float at) f (g ()));
    ("float_mapi", fun at -> Inner.float_mapi (fun _ -> float at) f (g ()));
    ("float_map2", fun at -> Inner.float_map2 (fun _ -> float at) f f (g ()));
  ]

let counting at i =
  at i;
  1

let folds : (string * ((int -> unit) -> int Inner.fold)) list =
  let a = Array.init n Fun.id in
  let f = Float.Array.init n float_of_int in
  let elements combine at acc i =
    at i;
    combine acc
  in
  [
    ("reduce", fun at -> Inner.reduce (counting at) ( + ));
    ("map_reduce", fun at -> Inner.map_reduce (counting at) ( + ) a);
    ("fold", fun at -> Inner.fold (elements succ at) a);
    ( "count",
      fun at ->
        Inner.count
          (fun i ->
            at i;
            true)
          a );
    ( "float_map_reduce",
      fun at ->
        Inner.float_map_reduce (fun x -> counting at (int_of_float x)) ( + ) f
    );
  ]

(* Adapts a fold: the accumulator counts the elements, and the run checks the
   count. *)
let counted fold at signal sign lo hi =
  let acc, next = fold at signal sign lo lo hi in
  Alcotest.(check int) "elements in the accumulator" next acc;
  next

(* Runs from [lo] on, with the sign [sign]: the signal changes at element
   [k]. *)
let stops loop ~sign ~lo ~k =
  let signal = Atomic.make sign in
  let seen = ref [] in
  let at i =
    seen := i :: !seen;
    if i >= k then Atomic.set signal (sign + 1)
  in
  let next = loop at signal sign lo n in
  let expected = Int.min n (Int.max lo k + 1) in
  Alcotest.(check int) "the next index" expected next;
  Alcotest.(check (list int))
    "each element once, in order"
    (List.init (expected - lo) (fun i -> lo + i))
    (List.rev !seen)

let case name loop =
  Alcotest.test_case name `Quick (fun () ->
      List.iter
        (fun sign ->
          for lo = 0 to n - 1 do
            for k = 0 to n do
              stops loop ~sign ~lo ~k
            done
          done)
        [ -1; 0; 1 ])

(* Edge cases: the signal differs from the start; the range is empty; the range
   is at the least index. *)
let edges () =
  let calls = ref 0 in
  let count _ = incr calls in
  let next = Inner.body count (Atomic.make 1) 0 3 9 in
  Alcotest.(check (pair int int)) "signalled" (3, 0) (next, !calls);
  let next = Inner.body count (Atomic.make 0) 0 3 3 in
  Alcotest.(check (pair int int)) "empty" (3, 0) (next, !calls);
  let next = Inner.body count (Atomic.make 0) 0 min_int (min_int + 2) in
  Alcotest.(check (pair int int)) "least" (min_int + 2, 2) (next, !calls)

let tests =
  List.map (fun (name, loop) -> case name loop) runs
  @ List.map (fun (name, fold) -> case name (counted fold)) folds
  @ [ Alcotest.test_case "edges" `Quick edges ]
