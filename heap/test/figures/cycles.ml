(* The concurrent collection of shared objects: cycles start without a request, and do not
   stop the world. Live objects stay intact while domains store, read, resume and drop
   shared objects. *)

let must = Check.must
let now () = Option.get (Dromos_heap.stats ())
let domains = 3

(* The number of cycles that ended during [f], the number of global collections, and the
   bytes held afterwards. *)
let during f =
  let before = now () in
  f ();
  let after = now () in
  ( after.cycles - before.cycles,
    after.global.count - before.global.count,
    after.held )

let mebi = 1 lsl 20
let list k = List.init 1000 (fun i -> (k, i))

let is_list k l =
  List.for_all Fun.id (List.mapi (fun i (k', i') -> k' = k && i' = i) l)

(* A full collection has just run in the only domain before the spawn. Live objects are
   no reason to start a cycle. *)
let had_alone () =
  let all = List.init 500_000 ref in
  Gc.full_major ();
  let allocate _ () = Check.repeat 4_000 (fun () -> Check.garbage 1_000) in
  let cycles, _, _ = during (fun () -> Check.in_all domains allocate) in
  must "no cycle" (cycles = 0);
  must "it is there" (List.length (Sys.opaque_identity all) = 500_000)

(* A domain that shares faster than the collector frees waits for the collector, up to
   [tries] times. On a busy machine domains may share more than 16 MB before all have
   answered, and the runtime then stops the world; the test must not depend on that. The
   wait is bounded: after a cycle that had much to mark the next is not due at once.
   [collected] holds the number of collections so far, and the bytes shared at the last
   one. *)
let collected = Atomic.make (0, 0)

let rec in_step tries =
  let s = now () and times, then_ = Atomic.get collected in
  if s.cycles + s.global.count <> times then
    Atomic.set collected (s.cycles + s.global.count, s.entangled)
  else if s.entangled - then_ > 12 * mebi then
    if tries = 0 then Atomic.set collected (times, s.entangled)
    else begin
      Unix.sleepf 0.001;
      Gc.minor ();
      in_step (tries - 1)
    end

(* Only with ordinary heaps: with tiny heaps the world is stopped more often. *)
let must_not_stop (cycles, globals, held) =
  must "cycles" (cycles > 0);
  if not Sys.(getenv_opt "DROMOS_HEAP" <> None) then begin
    must "the world goes on" (globals = 0);
    must "little is held" (held < 120 * mebi)
  end

(* Each domain replaces lists in a table that all domains read: 300 MB of garbage. *)
let replaced () =
  let slots = Array.init 64 (fun k -> Atomic.make (k, list k)) in
  let round me () =
    for k = 1 to 2000 do
      let mine = (k * 7) + me in
      Atomic.set slots.(mine land 63) (mine, list mine);
      let key, l = Atomic.get slots.(mine * 5 land 63) in
      must "values that other tasks stored" (is_list key l);
      in_step 3_000
    done
  in
  let figures = during (fun () -> Check.in_all domains round) in
  must_not_stop figures

(* Marking 64 MB of floats is free, so a cycle need not wait until domains have shared
   another 64 MB. (If a cycle gets no answers, the runtime stops the world, and that
   counts too.) *)
let beside_floats () =
  let floats = Array.make (8 * mebi) 0. in
  Gc.full_major ();
  let slots = Array.init 8 (fun k -> Atomic.make (list k)) in
  let round me () =
    for k = 1 to 400 do
      Atomic.set slots.((k + me) land 7) (list k);
      in_step 3_000
    done
  in
  let cycles, globals, _ = during (fun () -> Check.in_all domains round) in
  must "collected" (cycles + globals > 0);
  must "they are there" (Array.length (Sys.opaque_identity floats) = 8 * mebi)

(* A queue: a removed node points to all later nodes. *)
type node = { value : int ref; next : node option Atomic.t }

let queue () =
  let node value = { value = ref value; next = Atomic.make None } in
  let first = node 0 in
  let head = Atomic.make first and tail = Atomic.make first in
  let rec add n =
    let last = Atomic.get tail in
    if Atomic.compare_and_set last.next None (Some n) then Atomic.set tail n
    else add n
  in
  let taken = Atomic.make 0 in
  let rec take () =
    let here = Atomic.get head in
    match Atomic.get here.next with
    | None -> ()
    | Some n ->
        if Atomic.compare_and_set head here n then begin
          ignore (Atomic.fetch_and_add taken !(n.value));
          must "the sentinel keeps its value" (!(here.value) >= 0)
        end
        else take ()
  in
  let each = 60_000 in
  Check.in_all domains (fun _ () ->
      for k = 1 to each do
        add (node k);
        ignore (Sys.opaque_identity (List.init 8 Fun.id));
        take ()
      done);
  let rec rest () =
    if Atomic.get (Atomic.get head).next <> None then (
      take ();
      rest ())
  in
  rest ();
  must "each once" (Atomic.get taken = domains * (each * (each + 1) / 2))

(* One domain suspends a fiber, and a second domain resumes the fiber: only the fiber's
   stack holds its list. *)
open Effect
open Effect.Deep

type _ Effect.t += Wait : unit Effect.t

let fibers () =
  let slots : (unit, unit) continuation option Atomic.t array =
    Array.init 32 (fun _ -> Atomic.make None)
  in
  let begun = Atomic.make 0 and over = Atomic.make 0 in
  let begin_one key slot =
    Atomic.incr begun;
    match_with
      (fun () ->
        let mine = list key in
        perform Wait;
        must "the values of a stack" (is_list key mine);
        perform Wait;
        must "and still" (is_list key mine);
        Atomic.incr over)
      ()
      {
        retc = Fun.id;
        exnc = raise;
        effc =
          (fun (type a)
            (e : a Effect.t)
            :
            ((a, unit) continuation -> unit) option
          ->
            match e with
            | Wait ->
                Some
                  (fun k ->
                    let rec put slot =
                      if
                        not
                          (Atomic.compare_and_set
                             slots.(slot land 31)
                             None (Some k))
                      then put (slot + 1)
                    in
                    put slot)
            | _ -> None);
      }
  in
  let resume slot =
    match Atomic.exchange slots.(slot land 31) None with
    | Some k -> continue k ()
    | None -> ()
  in
  let each = 3000 in
  Check.in_all domains (fun me () ->
      for k = 1 to each do
        (* A domain that holds a continuation always finds a free slot. *)
        if Atomic.get begun - Atomic.get over < Array.length slots / 2 then
          begin_one ((k * 3) + me) k;
        resume (k * 5);
        resume ((k * 11) + 1)
      done);
  while Array.exists (fun s -> Atomic.get s <> None) slots do
    Array.iteri (fun i _ -> resume i) slots
  done;
  must "some were begun" (Atomic.get begun > 0);
  must "all that were begun" (Atomic.get over = Atomic.get begun)

(* The objects that an ended domain leaves behind belong to the shared heap, and cycles
   free them without a stop of the world. *)
let left () =
  let kept = Atomic.make [||] in
  let leave () =
    Domain.join
      (Domain.spawn (fun () ->
           Atomic.set kept (Array.init 100_000 (fun i -> (i, string_of_int i)))))
  in
  let stop = Atomic.make false in
  let other =
    Domain.spawn (fun () ->
        while not (Atomic.get stop) do
          let a = Atomic.get kept in
          if Array.length a > 0 then
            let i, s = a.(12_345) in
            must "the rest" (string_of_int i = s)
        done)
  in
  let figures =
    during (fun () ->
        for _ = 1 to 30 do
          leave ();
          Check.garbage 100_000;
          in_step 3_000
        done)
  in
  Atomic.set stop true;
  Domain.join other;
  must_not_stop figures

(* Blocks with finalisers in C: each finaliser runs once, and only after the block's
   death. *)
let customs () =
  let slots = Array.init 64 (fun _ -> Atomic.make (Mutex.create ())) in
  Check.in_all domains (fun me () ->
      for k = 1 to 100_000 do
        Atomic.set slots.((k + me) land 63) (Mutex.create ());
        let m = Atomic.get slots.(k * 5 land 63) in
        if Mutex.try_lock m then Mutex.unlock m
      done)

let () =
  Check.case "shared lists are replaced" replaced;
  Check.case "a queue that many use" queue;
  Check.case "fibers that are handed on" fibers;
  Check.case "objects that domains leave" left;
  Check.case "mutexes that are shared" customs;
  Check.case "shared objects beside many floats" beside_floats;
  Check.case "objects that the only domain had" had_alone
