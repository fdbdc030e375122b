(* This program writes the inner loops of Par, [dromos_inner.mli].
   
   Each loop is written out with its own step. A loop that gets its step as a closure
   would call one closure more for each element, which takes longer than a cheap step.
   Four steps follow one another. The signal is read between them, but the test for the
   end and the poll point come once in four steps: an iteration takes as many
   instructions as an iteration of a plain [for]. *)

type loop = {
  name : string;
  parameters : string;
  step : string; (* an expression, in which @ is the index *)
}

let steps_in_a_row = 4
let step loop index = String.concat index (String.split_on_char '@' loop.step)

(* The steps [k ..] of a row whose first index is [j]. *)
let rec row loop k =
  let index = if k = 0 then "j" else Printf.sprintf "(j + %d)" k in
  let next = k + 1 in
  if next = steps_in_a_row then
    Printf.sprintf "%s; i := j + %d" (step loop index) next
  else
    Printf.sprintf "%s; if still signal 0 then begin %s end else i := j + %d"
      (step loop index) (row loop next) next

let iterations loop =
  Printf.sprintf
    "  let i = ref lo in\n\
    \  if sign = 0 then begin\n\
    \    while hi - !i >= %d && still signal 0 do\n\
    \      let j = !i in\n\
    \      %s\n\
    \    done\n\
    \  end;\n\
    \  while !i < hi && still signal sign do\n\
    \    %s;\n\
    \    incr i\n\
    \  done;\n"
    steps_in_a_row (row loop 0) (step loop "!i")

let run loop =
  Printf.printf "let %s %s signal sign lo hi =\n%s  !i\n\n" loop.name
    loop.parameters (iterations loop)

let fold loop =
  Printf.printf
    "let %s %s signal sign acc lo hi =\n\
    \  let acc = ref acc in\n\
     %s  (!acc, !i)\n\n"
    loop.name loop.parameters (iterations loop)

let loop (name, parameters, step) = { name; parameters; step }

let runs =
  [
    ("body", "body", "body @");
    ("iter", "f a", "f (get a @)");
    ("iteri", "f a", "f @ (get a @)");
    ("iter2", "f a b", "f (get a @) (get b @)");
    ("init", "f b", "set b @ (f @)");
    ("map", "f a b", "set b @ (f (get a @))");
    ("mapi", "f a b", "set b @ (f @ (get a @))");
    ("map2", "f a b c", "set c @ (f (get a @) (get b @))");
    ("flags", "p a b", "if p (get a @) then Bytes.unsafe_set b @ '\\001'");
    ( "options",
      "f a b",
      "(match f (get a @) with None -> () | some -> set b @ some)" );
    ("float_iteri", "f a", "f @ (F.unsafe_get a @)");
    ("float_init", "f b", "F.unsafe_set b @ (f @)");
    ("float_map", "f a b", "F.unsafe_set b @ (f (F.unsafe_get a @))");
    ("float_mapi", "f a b", "F.unsafe_set b @ (f @ (F.unsafe_get a @))");
    ( "float_map2",
      "f a b c",
      "F.unsafe_set c @ (f (F.unsafe_get a @) (F.unsafe_get b @))" );
    ("find_map", "hit f", "(match f @ with None -> () | Some v -> hit @ v)");
    ("find", "hit p (sought : bool)", "if p @ == sought then hit @ ()");
    ( "find_element",
      "hit p a (sought : bool)",
      "if p (get a @) == sought then hit @ ()" );
  ]

let folds =
  [
    ("reduce", "map combine", "acc := combine !acc (map @)");
    ("map_reduce", "map combine a", "acc := combine !acc (map (get a @))");
    ("fold", "combine a", "acc := combine !acc (get a @)");
    ("count", "p a", "if p (get a @) then incr acc");
    ( "float_map_reduce",
      "map combine a",
      "acc := combine !acc (map (F.unsafe_get a @))" );
  ]

let () =
  print_string
    "module F = Float.Array\n\n\
     type run = int Atomic.t -> int -> int -> int -> int\n\
     type 'a fold = int Atomic.t -> int -> 'a -> int -> int -> 'a * int\n\n\
     let get = Array.unsafe_get\n\
     let set = Array.unsafe_set\n\
     let[@inline] still signal (sign : int) = Atomic.get signal = sign\n\n";
  List.iter (fun l -> run (loop l)) runs;
  List.iter (fun l -> fold (loop l)) folds
