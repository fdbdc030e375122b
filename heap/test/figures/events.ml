(* Runtime events on the heap variant: a listener counts the same collections as
   [Dromos_heap], each span ends, and the words agree with the figures of [Gc]. *)

open Runtime_events

let must = Check.must

type heard = {
  begun : (runtime_phase, int) Hashtbl.t;
  open_ : (int, runtime_phase list) Hashtbl.t; (* by ring, innermost first *)
  counters : (runtime_counter, int) Hashtbl.t; (* sums *)
  life : (lifecycle, int) Hashtbl.t;
  user : (string, int) Hashtbl.t; (* the last value *)
  mutable lost : int;
}

let find table key = Option.value ~default:0 (Hashtbl.find_opt table key)
let add table key n = Hashtbl.replace table key (find table key + n)
let opened h ring = Option.value ~default:[] (Hashtbl.find_opt h.open_ ring)

let enter h ring _ phase =
  add h.begun phase 1;
  Hashtbl.replace h.open_ ring (phase :: opened h ring)

let leave h ring _ phase =
  match opened h ring with
  | innermost :: rest ->
      must "spans are nested" (innermost = phase);
      Hashtbl.replace h.open_ ring rest
  | [] -> must "a span that began" false

let listener () =
  let table () = Hashtbl.create 16 in
  let h =
    {
      begun = table ();
      open_ = table ();
      counters = table ();
      life = table ();
      user = table ();
      lost = 0;
    }
  in
  let callbacks =
    Callbacks.create ~runtime_begin:(enter h) ~runtime_end:(leave h)
      ~runtime_counter:(fun _ _ counter n -> add h.counters counter n)
      ~lifecycle:(fun _ _ event _ -> add h.life event 1)
      ~lost_events:(fun _ n -> h.lost <- h.lost + n)
      ()
  in
  let user _ _ event n = Hashtbl.replace h.user (User.name event) n in
  (h, Callbacks.add_user_event Type.int user callbacks)

let rec drain cursor callbacks =
  if read_poll cursor callbacks None > 0 then drain cursor callbacks

(* The events of all domains between two moments at which only one domain exists. *)
let listening f =
  let h, callbacks = listener () in
  let cursor = create_cursor None in
  drain cursor (Callbacks.create ());
  Gc.minor ();
  drain cursor (Callbacks.create ());
  let before = Option.get (Dromos_heap.stats ()) in
  f (fun () -> drain cursor callbacks);
  Gc.minor ();
  let after = Option.get (Dromos_heap.stats ()) in
  drain cursor callbacks;
  free_cursor cursor;
  must "nothing is lost" (h.lost = 0);
  Hashtbl.iter (fun _ phases -> must "all spans end" (phases = [])) h.open_;
  (h, before, after)

let busy () =
  let mine = Atomic.make [] in
  for i = 1 to 40 do
    Atomic.set mine (List.init 100 string_of_int);
    Check.garbage 10_000;
    if i mod 10 = 0 then Gc.full_major ()
  done

let spans () =
  let minors = ref 0 in
  let h, before, after =
    listening (fun drain ->
        minors := -(Gc.quick_stat ()).minor_collections;
        let domains = List.init 2 (fun _ -> Domain.spawn busy) in
        Check.garbage 1000;
        drain ();
        List.iter Domain.join domains;
        Gc.full_major ();
        minors := !minors + (Gc.quick_stat ()).minor_collections)
  in
  let count kind = (kind after).Dromos_heap.count - (kind before).count in
  let young = count (fun s -> s.young) and full = count (fun s -> s.full) in
  let globals = count (fun s -> s.global) in
  must "there were some" (young > 0 && full > 0 && globals > 0);
  must "each is one of the young"
    (find h.begun EV_MINOR = young + full + globals);
  must "as Gc counts, and the last one" (find h.begun EV_MINOR = !minors + 1);
  must "full ones and global ones" (find h.begun EV_MAJOR = full + globals);
  must "global ones" (find h.begun EV_MAJOR_GC_STW = globals);
  (* Each of eight calls of Gc.full_major beside other domains asks twice. If two domains
     ask at the same time, one stop serves both. *)
  must "the domain that asks" (find h.begun EV_STW_LEADER = 16 && globals <= 16);
  must "asked for"
    (find h.begun EV_EXPLICIT_GC_FULL_MAJOR = 9
    && find h.begun EV_EXPLICIT_GC_MINOR = 1);
  must "domains come and go"
    (find h.life EV_DOMAIN_SPAWN = 2 && find h.life EV_DOMAIN_TERMINATE = 2);
  let near what told expected =
    must what (abs (told - expected) * 20 < expected)
  in
  near "bytes allocated"
    (find h.counters EV_C_MINOR_ALLOCATED)
    (after.allocated - before.allocated);
  near "words promoted"
    (8 * find h.counters EV_C_MINOR_PROMOTED)
    (after.promoted - before.promoted)

let paused () =
  let h, before, after =
    listening (fun drain ->
        pause ();
        drain ();
        Check.garbage 1_000_000;
        Gc.full_major ();
        drain ();
        resume ();
        Gc.full_major ())
  in
  must "there were more"
    (after.full.count - before.full.count > find h.begun EV_MAJOR);
  must "not while paused" (find h.begun EV_MAJOR = 2)

let user_events () =
  let h, _, after =
    listening (fun _ ->
        Gc.full_major ();
        Dromos_heap_events.emit ())
  in
  let told = find h.user in
  must "entangled" (told "dromos-heap.entangled" = after.entangled);
  must "publications" (told "dromos-heap.publications" = after.publications);
  must "pinned" (told "dromos-heap.pinned" = after.pinned);
  must "heaps" (told "dromos-heap.heaps" = after.heaps);
  must "splits and merges"
    (Hashtbl.mem h.user "dromos-heap.splits"
    && Hashtbl.mem h.user "dromos-heap.merges")

(* The child of a fork has event rings of its own. *)
let forked () =
  match Unix.fork () with
  | 0 ->
      let h, _, _ = listening (fun _ -> Gc.full_major ()) in
      exit (find h.begun EV_MAJOR)
  | pid -> must "the child's" (snd (Unix.waitpid [] pid) = WEXITED 2)

(* The child process of [from_outside]; the environment turns its events on. *)
let child () =
  let domains = List.init 2 (fun _ -> Domain.spawn busy) in
  List.iter Domain.join domains;
  let s = Option.get (Dromos_heap.stats ()) in
  Printf.printf "%d %d"
    (s.young.count + s.full.count + s.global.count)
    s.global.count

let from_outside () =
  let dir = Filename.temp_dir "heap" "events" in
  let from, into = Unix.pipe ~cloexec:true () in
  let env =
    [|
      "OCAML_RUNTIME_EVENTS_START=1";
      "OCAML_RUNTIME_EVENTS_PRESERVE=1";
      "OCAML_RUNTIME_EVENTS_DIR=" ^ dir;
    |]
  in
  let self = Sys.executable_name in
  let pid =
    Unix.create_process_env self [| self; "child" |] env Unix.stdin into
      Unix.stderr
  in
  Unix.close into;
  let said = In_channel.input_all (Unix.in_channel_of_descr from) in
  must "its status" (snd (Unix.waitpid [] pid) = WEXITED 0);
  let h, callbacks = listener () in
  let cursor = create_cursor (Some (dir, pid)) in
  drain cursor callbacks;
  free_cursor cursor;
  Sys.remove (Filename.concat dir (Printf.sprintf "%d.events" pid));
  Sys.rmdir dir;
  must "nothing is lost" (h.lost = 0);
  Scanf.sscanf said "%d %d" (fun all globals ->
      must "all, from outside" (find h.begun EV_MINOR = all);
      must "global ones, from outside"
        (find h.begun EV_MAJOR_GC_STW = globals && globals > 0))

(* Turns events on while other domains run. *)
let started () =
  let stop = Atomic.make false in
  let work () =
    while not (Atomic.get stop) do
      Check.garbage 100
    done
  in
  let others = List.init 2 (fun _ -> Domain.spawn work) in
  start ();
  must "there is a file" (path () <> None);
  Atomic.set stop true;
  List.iter Domain.join others

let () =
  match Sys.argv with
  | [| _; "child" |] -> child ()
  | _ ->
      Check.case "runtime events: turned on beside others" started;
      Check.case "runtime events: spans and counters" spans;
      Check.case "runtime events: paused" paused;
      Check.case "runtime events: the library's own" user_events;
      Check.case "runtime events: a fork's child" forked;
      Check.case "runtime events: from outside" from_outside
