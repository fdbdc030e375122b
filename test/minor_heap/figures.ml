(* The figures of minor collections, and the warnings. No test waits for slow
   collections: the tests call the runtime's hook, which moves the end of the
   last collection. *)

module Stops = Dromos_fiber.Minor_stops

external ends_now : unit -> unit = "test_minor_heap_ends_now"
external waits : unit -> unit = "test_minor_heap_waits"

let contains = Said.contains
let bool = Alcotest.(check bool)
let int = Alcotest.(check int)

let minor_collections n =
  for _ = 1 to n do
    Gc.minor ()
  done

let figures collections stopped elapsed : Dromos.minor =
  { collections; stopped; elapsed }

let dump () =
  let file, out = Filename.open_temp_file "minor" ".dump" in
  Fun.protect
    ~finally:(fun () -> Sys.remove file)
    (fun () ->
      Fun.protect
        ~finally:(fun () -> close_out out)
        (fun () -> Dromos.dump ~out ());
      In_channel.with_open_text file In_channel.input_all)

let printed ?(domains = 1) minor =
  let stats = Dromos.run ~workers:1 Dromos.stats in
  Format.asprintf "%a" Dromos.pp_stats { stats with minor; domains }

let warns text =
  List.for_all (contains text)
    [ "~minor_heap_words"; "_hh"; "doc/allocation.md" ]

let ways_out text = warns text && contains text "fewer workers"

(* A warning needs more than a fifth of the time, and ten collections. *)
let threshold () =
  let says expected f = bool "warns" expected (ways_out (printed f)) in
  says false (figures 0 0. 0.);
  says false (figures 100 0.2 1.);
  says true (figures 100 0.21 1.);
  says true (figures 10 3. 4.);
  says false (figures 9 3. 4.);
  let alone = printed ~domains:0 (figures 100 0.21 1.) in
  bool "one domain stops no other" true
    (contains alone "took 21 %"
    && not (contains alone "stopped" || contains alone "fewer workers"));
  bool "the share" true (contains (printed (figures 10 3. 4.)) " 75 %");
  bool "the figures" true
    (contains
       (printed (figures 12 0.5 10.))
       "minor collections 12 (0.500 s of 10.000)")

let counted () =
  Dromos.run ~workers:1 (fun () ->
      let before = (Dromos.stats ()).minor in
      minor_collections 25;
      let after = (Dromos.stats ()).minor in
      bool "all are counted" true (after.collections - before.collections >= 25);
      bool "they take time" true (after.stopped > before.stopped);
      bool "no more than there is" true (after.stopped <= after.elapsed));
  let last = (Dromos.stats ()).minor in
  bool "domains of the run that ended" true (last.collections >= 25);
  minor_collections 5;
  int "and no others" last.collections (Dromos.stats ()).minor.collections

(* A run that allocates as much as 40 minor heaps. *)
let allocating () =
  Dromos.run ~workers:2 ~minor_heap_words:32768 (fun () ->
      let f () = ignore (Sys.opaque_identity (List.init 220_000 Fun.id)) in
      ignore (Dromos.both f f : unit * unit);
      bool "collections" true ((Dromos.stats ()).minor.collections >= 20))

(* The sampler runs once a domain was made for a run. For a tenth of a second [waits]
   makes the minor heap look full; the sampler sees it only if the system lets the sampler
   run in this time, so the test tries often. *)
let waiting () =
  Dromos.run ~workers:2 (fun () ->
      let rec seen tries =
        tries > 0
        &&
        let mark = Stops.mark () in
        Gc.minor ();
        let collecting = (Stops.since mark).stopped in
        waits ();
        (Stops.since mark).stopped -. collecting > 0.004 || seen (tries - 1)
      in
      ignore (Sizes.of_all 2 : int list);
      bool "the sampler sees it" true (seen 200))

(* All the time since the last collection counts as stopped, so the share tends to 1. *)
let rec comes_to_warn text tries =
  Unix.sleepf 0.02;
  ends_now ();
  warns (text ()) || (tries > 0 && comes_to_warn text (tries - 1))

let stats () = Format.asprintf "%a" Dromos.pp_stats (Dromos.stats ())

let dumped () =
  Dromos.run ~workers:1 (fun () ->
      bool "a quiet run" false (warns (dump ()) || warns (stats ()));
      minor_collections 12;
      bool "the dump warns" true (comes_to_warn dump 500);
      bool "stats warn" true (comes_to_warn stats 500));
  Dromos.run ~workers:1 (fun () -> bool "the next run" false (warns (dump ())))

let metrics () =
  let t = Dromos.Runtime.create ~name:"m" ~workers:1 () in
  Dromos.Runtime.run t (fun () -> minor_collections 3);
  Dromos.Runtime.stop t;
  let value name =
    Dromos.Runtime.to_prometheus t
    |> String.split_on_char '\n'
    |> List.find_map (fun line ->
           if String.starts_with ~prefix:("dromos_runtime_" ^ name ^ "{") line
           then
             Some (float_of_string (List.nth (String.split_on_char ' ' line) 1))
           else None)
    |> Option.get
  in
  bool "counted" true (value "minor_collections_total" >= 3.);
  bool "timed" true (value "minor_stopped_seconds_total" > 0.)

let case name f = Watch.case name f

let cases =
  [
    case "when there is a warning" threshold;
    case "collections are counted" counted;
    case "those of a run that allocates" allocating;
    case "waiting is sampled" waiting;
    case "the warning in a dump" dumped;
    case "the figures of a runtime" metrics;
  ]
