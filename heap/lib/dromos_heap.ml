type pauses = { count : int; seconds : float; longest : float }

type stats = {
  young : pauses;
  full : pauses;
  global : pauses;
  scans : pauses;
  slices : pauses;
  lived : float;
  allocated : int;
  promoted : int;
  copied : int;
  held : int;
  most_held : int;
  entangled : int;
  publications : int;
  handed : int;
  pinned : int;
  most_pinned : int;
  heaps : int;
  splits : int;
  merges : int;
  cycles : int;
}

(* The fields of [dromos_heap_figures] (dromos_heap.h), in the order of the struct; an
   empty array on OCaml's own runtime. *)
external figures : unit -> int array = "dromos_heap_ml_figures"
external report : unit -> string = "dromos_heap_ml_report"

let seconds ns = float_of_int ns *. 1e-9

let pauses count ns longest =
  { count; seconds = seconds ns; longest = seconds longest }

let stats () =
  match figures () with
  | [||] -> None
  | [|
   young;
   young_ns;
   longest_young;
   full;
   full_ns;
   longest_full;
   global;
   global_ns;
   longest_global;
   scans;
   scans_ns;
   longest_scan;
   slices;
   slices_ns;
   longest_slice;
   lived_ns;
   allocated;
   promoted;
   copied;
   held;
   most_held;
   entangled;
   publications;
   handed;
   pinned;
   most_pinned;
   heaps;
   splits;
   merges;
   cycles;
  |] ->
      Some
        {
          young = pauses young young_ns longest_young;
          full = pauses full full_ns longest_full;
          global = pauses global global_ns longest_global;
          scans = pauses scans scans_ns longest_scan;
          slices = pauses slices slices_ns longest_slice;
          lived = seconds lived_ns;
          allocated;
          promoted;
          copied;
          held;
          most_held;
          entangled;
          publications;
          handed;
          pinned;
          most_pinned;
          heaps;
          splits;
          merges;
          cycles;
        }
  | _ -> failwith "Dromos_heap.stats: the runtime is of another version"

let leaf_share s = (s.young.seconds +. s.full.seconds) /. s.lived

let fields s =
  let pauses name p =
    [
      (name ^ ".count", float_of_int p.count);
      (name ^ ".seconds", p.seconds);
      (name ^ ".longest", p.longest);
    ]
  in
  let number (name, n) = (name, float_of_int n) in
  pauses "young" s.young @ pauses "full" s.full @ pauses "global" s.global
  @ pauses "scans" s.scans @ pauses "slices" s.slices
  @ [ ("lived", s.lived) ]
  @ List.map number
      [
        ("allocated", s.allocated);
        ("promoted", s.promoted);
        ("copied", s.copied);
        ("held", s.held);
        ("most_held", s.most_held);
        ("entangled", s.entangled);
        ("publications", s.publications);
        ("handed", s.handed);
        ("pinned", s.pinned);
        ("most_pinned", s.most_pinned);
        ("heaps", s.heaps);
        ("splits", s.splits);
        ("merges", s.merges);
        ("cycles", s.cycles);
      ]
