(* Figures of the Gc module that OCaml's documentation determines. The program runs on
   OCaml's own runtime and on the heap variant, and the outputs must be equal.

   The sizes are chosen so that OCaml's own runtime rounds none of them up. *)

module Names = Map.Make (Int)

let n = 20_000
let kept : Obj.t option ref = ref None

let shapes =
  [
    ("nothing", fun () -> Obj.repr 0);
    ("a list", fun () -> Obj.repr (List.init n Fun.id));
    ( "a map",
      fun () ->
        Obj.repr
          (Seq.fold_left
             (fun m i -> Names.add i (float_of_int i) m)
             Names.empty
             (Seq.take n (Seq.ints 0))) );
    ("pairs", fun () -> Obj.repr (List.init n (fun i -> (i, string_of_int i))));
  ]

(* OCaml's own runtime does not count the padding between the atomics as allocated. *)
let lines () = Obj.repr (List.init n Atomic.make_contended)

let alive () =
  let s = Gc.stat () in
  (s.live_words, s.live_blocks)

(* The growth of the live words, and the difference that stays after the value's death. *)
let live (what, make) =
  let words, blocks = alive () in
  kept := Some (make ());
  let words', blocks' = alive () in
  kept := None;
  let words'', blocks'' = alive () in
  Printf.printf "%s: lived %d words in %d blocks; left %d, %d\n" what
    (words' - words) (blocks' - blocks) (words'' - words) (blocks'' - blocks)

(* The live words of values that die in steps. *)
let thinning () =
  let strings = List.init n (fun _ -> ref (String.make 80 'x')) in
  let drop kept =
    List.iteri (fun i r -> if not (kept i) then r := "") strings
  in
  let words, blocks = alive () in
  let look what =
    let words', blocks' = alive () in
    Printf.printf "strings, %s: %d words in %d blocks\n" what (words - words')
      (blocks - blocks')
  in
  look "all";
  drop (fun i -> i mod 8 > 0);
  look "most";
  drop (fun i -> i mod 8 = 7);
  look "few";
  drop (fun _ -> false);
  look "none"

(* The live words while domains come and go; a domain adds a few words of its own. (The
   remains of a domain may hold its result a little longer, so the functions return
   unit.) *)
let live_about why run (what, make) =
  let few n = abs n < 100 in
  let words, _ = alive () in
  run (fun () -> kept := Some (make ()));
  let size = Obj.reachable_words (Obj.repr !kept) in
  let words', _ = alive () in
  kept := None;
  let words'', _ = alive () in
  Printf.printf "%s, %s: lived %b, left nothing %b\n" what why
    (few (words' - words - size))
    (few (words'' - words))

let allocated what make =
  let before = Gc.allocated_bytes () in
  ignore (Sys.opaque_identity (make ()));
  let bytes = Gc.allocated_bytes () -. before in
  let minor, promoted, major = Gc.counters () in
  Printf.printf "%s: allocated %.0f bytes; in order %b\n" what bytes
    (minor >= promoted && major >= promoted)

let in_a_domain f = Domain.join (Domain.spawn f)

(* Runs [f] while a second domain waits. *)
let beside f =
  let stop = Mutex.create () in
  Mutex.lock stop;
  let other = Domain.spawn (fun () -> Mutex.protect stop ignore) in
  f ();
  Mutex.unlock stop;
  Domain.join other

(* The runtime keeps the figures of ended domains. *)
let words_of_domains () =
  let words () = (Gc.quick_stat ()).minor_words in
  let before = words () in
  for _ = 1 to 5 do
    in_a_domain (fun () -> ignore (Sys.opaque_identity (List.init n Fun.id)))
  done;
  Printf.printf "domains: at least their words %b\n"
    (words () -. before >= float_of_int (5 * 3 * n))

let forced () =
  let counts () =
    let s = Gc.quick_stat () in
    (s.forced_major_collections, s.compactions)
  in
  let told what f =
    let forced, compactions = counts () in
    f ();
    let forced', compactions' = counts () in
    Printf.printf "%s: forced %d, compactions %d\n" what (forced' - forced)
      (compactions' - compactions)
  in
  told "full_major" Gc.full_major;
  told "compact" Gc.compact;
  told "stat" (fun () -> ignore (Gc.stat () : Gc.stat));
  told "minor" Gc.minor

let[@alert "-unsynchronized_access"] parameters () =
  let was = Gc.get () in
  let change =
    {
      was with
      minor_heap_size = 131_072;
      space_overhead = 80;
      verbose = 0x400;
      stack_limit = 1_000_000;
      custom_major_ratio = 50;
      custom_minor_ratio = 90;
      custom_minor_max_size = 10_000;
    }
  in
  Gc.set change;
  Printf.printf "parameters: kept %b\n" (Gc.get () = change);
  Gc.set was;
  Printf.printf "parameters: as before %b\n" (Gc.get () = was)

let () =
  List.iter live shapes;
  live ("atomics that have a line each", lines);
  thinning ();
  List.iter (live_about "in a domain" in_a_domain) shapes;
  beside (fun () ->
      List.iter (live_about "beside a domain" (fun f -> f ())) shapes;
      List.iter (live_about "in one domain, beside another" in_a_domain) shapes);
  List.iter (fun (what, make) -> allocated what make) shapes;
  words_of_domains ();
  forced ();
  parameters ()
