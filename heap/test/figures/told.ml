(* The figures of [Dromos_heap] on the heap variant, and their sums. Run with distant
   cycles (DROMOS_HEAP=s=1G): while a cycle marks, joins postpone unpinning. *)

open Dromos_heap

let must = Check.must
let now () = Option.get (Dromos_heap.stats ())

(* The change of each figure during [f]. *)
let change f =
  let before = fields (now ()) in
  f ();
  let after = fields (now ()) in
  fun name -> int_of_float (List.assoc name after -. List.assoc name before)

(* Runs [f] while a second domain waits and holds [shared]. *)
let beside ?shared f =
  let stop = Mutex.create () in
  Mutex.lock stop;
  let wait () = Mutex.protect stop (fun () -> Sys.opaque_identity shared) in
  let other = Domain.spawn (fun () -> ignore (wait ())) in
  f ();
  Mutex.unlock stop;
  Domain.join other

let collections () =
  let alone = change Gc.full_major in
  must "two of the leaf" (alone "full.count" = 2 && alone "global.count" = 0);
  beside (fun () ->
      let two = change Gc.full_major in
      must "two of everything" (two "global.count" = 2 && two "full.count" = 0));
  let young = change Gc.minor in
  must "a young one" (young "young.count" = 1);
  let s = now () in
  List.iter
    (fun p ->
      must "a pause is a part"
        (p.longest > 0. && p.longest *. float_of_int p.count >= p.seconds))
    [ s.young; s.full; s.global ];
  must "a share of time" (leaf_share s > 0. && leaf_share s < 1.)

(* One store publishes a list of three words per element. *)
let publications () =
  let n = 10_000 in
  let place = Atomic.make [] in
  beside ~shared:place (fun () ->
      Gc.full_major ();
      let list = List.init n Fun.id in
      let published = change (fun () -> Atomic.set place list) in
      must "all of it" (published "entangled" = n * 3 * 8);
      must "by one store" (published "publications" = 1);
      must "pinned" (published "pinned" = n * 3 * 8);
      let again = change (fun () -> Atomic.set place (List.tl list)) in
      must "once" (again "entangled" = 0 && again "publications" = 0);
      Atomic.set place [];
      let gone = change Gc.full_major in
      must "until the world is stopped" (gone "pinned" <= -n * 3 * 8);
      must "the ceiling stays" ((now ()).most_pinned >= n * 3 * 8))

(* Objects that lived before the second domain must not cause a stop of the world. *)
let lived_before () =
  let kept = Sys.opaque_identity (List.init 200_000 string_of_int) in
  Gc.full_major ();
  beside (fun () ->
      let meanwhile = change (fun () -> Check.garbage 200_000) in
      must "its own collections"
        (meanwhile "young.count" + meanwhile "full.count" > 0);
      must "none of everything" (meanwhile "global.count" = 0));
  must "kept" (List.length kept = 200_000)

let words () =
  Gc.minor ();
  let before = now () in
  let gc = Gc.quick_stat () in
  let total (s : Gc.stat) =
    s.minor_words +. s.major_words -. s.promoted_words
  in
  must "as Gc has it"
    (abs_float ((8. *. total gc) -. float_of_int before.allocated) < 1000.);
  Check.garbage 100_000;
  let after = now () in
  must "allocated" (after.allocated - before.allocated > 100_000 * 3 * 8);
  must "no more is promoted" (after.promoted <= after.allocated);
  must "not copied twice"
    (after.promoted <= after.copied + after.entangled + after.handed);
  must "held" (0 < after.held && after.held <= after.most_held)

let heaps () =
  let count () = (now ()).heaps in
  let alone = count () in
  beside (fun () -> must "one more" (count () = alone + 1));
  must "as before" (count () = alone);
  must "no task has one" ((now ()).splits = (now ()).merges)

let wait_while place it_is =
  while Atomic.get place = it_is do
    Domain.cpu_relax ()
  done;
  Atomic.get place

(* A domain that takes offered branches, and runs them. *)
type thief = { offered : Task.t Atomic.t; over : Task.t Atomic.t }

let ended = -2

let rec steal t =
  let branch = wait_while t.offered Task.none in
  if branch <> ended then begin
    must "no other domain has it" (Task.take branch);
    Task.enter branch;
    Task.finish branch (Task.code branch ());
    Atomic.set t.over branch;
    ignore (wait_while t.offered branch : Task.t);
    Atomic.set t.over Task.none;
    steal t
  end

let with_thief f =
  let t = { offered = Atomic.make Task.none; over = Atomic.make Task.none } in
  let other = Domain.spawn (fun () -> steal t) in
  f t;
  Atomic.set t.offered ended;
  Domain.join other

let offer t parent code = Atomic.set t.offered (Task.fork parent code)
let run_by t = wait_while t.over Task.none

let join t parent branch =
  let result = Task.join parent branch in
  Atomic.set t.offered Task.none;
  ignore (wait_while t.over branch : Task.t);
  result

(* A fork hands the branch's data over; the data stays pinned until the join. *)
let tasks () =
  let n = 10_000 in
  with_thief (fun thief ->
      let root = Task.make ~several:false in
      let began = change (fun () -> Task.enter root) in
      must "a heap for the task" (began "splits" = 1 && began "heaps" = 1);
      let list = List.init n Fun.id in
      let length () = List.length (Sys.opaque_identity list) in
      let forked = change (fun () -> offer thief root length) in
      must "is handed over"
        (forked "handed" >= n * 3 * 8 && forked "entangled" = 0);
      let branch = run_by thief in
      must "one for the branch" ((now ()).splits = (now ()).merges + 2);
      let joined =
        change (fun () -> must "its length" (join thief root branch = n))
      in
      must "its heap is merged" (joined "merges" = 1 && joined "heaps" = -1);
      must "its objects are private again" (joined "pinned" <= -n * 3 * 8);
      must "but was pinned"
        ((now ()).most_pinned >= (now ()).pinned + (n * 3 * 8));
      Task.finish root 0;
      must "over" (Task.join Task.none root = 0));
  must "all are merged" ((now ()).splits = (now ()).merges)

(* The first fiber of a run with several workers: the fiber's objects are private, and
   after the run the program is alone again. *)
let early () =
  let root = Task.make ~several:true in
  let began = change (fun () -> Task.enter root) in
  must "a heap, beside one domain's" (began "splits" = 1 && began "heaps" = 1);
  let list = List.init 10_000 string_of_int in
  let full = change (fun () -> Check.garbage 100_000) in
  must "no domain stops the world" (full "global.count" = 0);
  must "it has what it made" (List.nth list 5_000 = "5000");
  Task.finish root 0;
  must "over" (Task.join Task.none root = 0);
  let alone = change Gc.full_major in
  must "alone again" (alone "full.count" >= 2 && alone "global.count" = 0)

(* A task that forks over one structure again and again must not pin the whole structure
   each time. *)
let over_and_over () =
  let n = 200_000 and times = 300 in
  let size = n * 3 * 8 in
  with_thief (fun thief ->
      let root = Task.make ~several:false in
      Task.enter root;
      let list = List.init n Fun.id in
      let length () = List.length (Sys.opaque_identity list) in
      let forked =
        change (fun () ->
            for _ = 1 to times do
              offer thief root length;
              let branch = run_by thief in
              must "its length" (join thief root branch = n)
            done)
      in
      must "handed over" (forked "handed" > 0);
      must "once" (forked "handed" <= size);
      Task.finish root 0;
      must "over" (Task.join Task.none root = 0))

(* No counter decreases while other domains work. *)
let concurrently () =
  let stop = Atomic.make false in
  let work place () =
    while not (Atomic.get stop) do
      Atomic.set place (List.init 50 string_of_int);
      Check.garbage 100
    done
  in
  let places = List.init 2 (fun _ -> Atomic.make []) in
  let others = List.map (fun p -> Domain.spawn (work p)) places in
  let ever s =
    [ s.allocated; s.copied; s.entangled; s.publications; s.young.count ]
    @ [ s.full.count; s.global.count; s.most_held; s.most_pinned ]
  in
  let last = ref (ever (now ())) in
  while (now ()).young.count < 20 do
    let s = now () in
    must "not more than ever" (s.pinned >= 0 && s.pinned <= s.most_pinned);
    must "forward" (List.for_all2 ( <= ) !last (ever s));
    last := ever s
  done;
  Atomic.set stop true;
  List.iter Domain.join others

let text () =
  let lines = String.split_on_char '\n' (report ()) in
  must "a line for each kind" (List.length lines = 13);
  List.iter
    (fun kind ->
      let prefix = Printf.sprintf "heap: %s " kind in
      must kind (List.exists (String.starts_with ~prefix) lines))
    [ "concurrent cycles"; "  scans of leaves"; "  slices of marking" ];
  List.iter
    (fun kind ->
      let prefix = Printf.sprintf "heap: %s collections " kind in
      must kind (List.exists (String.starts_with ~prefix) lines))
    [ "young"; "full"; "global" ]

(* DROMOS_HEAP=v prints the report at exit, also if an exception ends the program. *)
let at_exit () =
  let from, into = Unix.pipe ~cloexec:true () in
  let env = [| "DROMOS_HEAP=v" |] and self = Sys.executable_name in
  let child =
    Unix.create_process_env self [| self; "raise" |] env Unix.stdin Unix.stdout
      into
  in
  Unix.close into;
  let said = In_channel.input_all (Unix.in_channel_of_descr from) in
  must "its status" (snd (Unix.waitpid [] child) = WEXITED 2);
  let lines = String.split_on_char '\n' said in
  let starts prefix = List.exists (String.starts_with ~prefix) lines in
  must "the exception" (starts "Fatal error: exception Not_found");
  must "the report"
    (starts "heap: entangled" && starts "heap: global collections 0, ")

let () =
  if Array.length Sys.argv > 1 then raise Not_found;
  Check.case "collections are told of" collections;
  Check.case "publications are told of" publications;
  Check.case "objects that lived before are no growth" lived_before;
  Check.case "words are told of" words;
  Check.case "heaps are told of" heaps;
  Check.case "tasks are told of" tasks;
  Check.case "a run's first fiber" early;
  Check.case "a task that forks again and again" over_and_over;
  Check.case "figures while others work" concurrently;
  Check.case "a report" text;
  Check.case "a report at exit" at_exit
