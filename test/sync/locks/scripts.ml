(* Random histories in one thread, by callbacks, against a queue in the model:
   an arriving request goes to the end, a leaving request goes out, and requests
   at the front are admitted as far as they are compatible. *)

open Dromos_sync
open Places

type kind = Read | Write
type party = { kind : kind; got : bool ref; cancel : unit -> bool }

(* The use of a structure: [admits] tells which holders go together. *)
type lock = {
  name : string;
  request : kind -> unit Event.t;
  unlock : kind -> unit;
  admits : readers:int -> writers:int -> kind -> bool;
}

let alone ~readers ~writers _ = readers + writers = 0

let mutex () =
  let m = Mutex.create () in
  {
    name = "mutex";
    request = (fun _ -> Mutex.lock_event m);
    unlock = (fun _ -> Mutex.unlock m);
    admits = alone;
  }

let semaphore () =
  let s = Semaphore.create 2 in
  {
    name = "semaphore";
    request = (fun _ -> Semaphore.acquire_event s);
    unlock = (fun _ -> Semaphore.release s);
    admits = (fun ~readers ~writers _ -> readers + writers < 2);
  }

(* A reader takes one permit, a writer three. *)
let permits () =
  let s = Semaphore.create ~max:4 4 in
  let n = function Read -> 1 | Write -> 3 in
  {
    name = "permits";
    request = (fun kind -> Semaphore.acquire_event ~n:(n kind) s);
    unlock = (fun kind -> Semaphore.release ~n:(n kind) s);
    admits =
      (fun ~readers ~writers kind -> readers + (3 * writers) + n kind <= 4);
  }

let rwlock () =
  let l = Rwlock.create () in
  let request = function
    | Read -> Rwlock.lock_read_event l
    | Write -> Rwlock.lock_write_event l
  in
  let unlock = function
    | Read -> Rwlock.unlock_read l
    | Write -> Rwlock.unlock_write l
  in
  let admits ~readers ~writers = function
    | Read -> writers = 0
    | Write -> readers + writers = 0
  in
  { name = "rwlock"; request; unlock; admits }

let random n = Random.State.int Watch.chance n

let come lock =
  let kind = if random 3 = 0 then Write else Read in
  let got = ref false in
  let cancel =
    Author.Event.start (lock.request kind) (fun result ->
        result ();
        got := true)
  in
  { kind; got; cancel }

let count kind =
  List.fold_left (fun n p -> if p.kind = kind then n + 1 else n) 0

(* The model: the holders, and the queue, first to last. *)
let rec let_in lock holders line =
  let readers = count Read holders and writers = count Write holders in
  match line with
  | first :: line when lock.admits ~readers ~writers first.kind ->
      let_in lock (holders @ [ first ]) line
  | _ -> (holders, line)

let without p = List.filter (fun q -> q != p)

let step lock (holders, line) =
  match random 3 with
  | 0 when holders <> [] ->
      let p = List.nth holders (random (List.length holders)) in
      lock.unlock p.kind;
      (without p holders, line)
  | 1 when line <> [] ->
      let p = List.nth line (random (List.length line)) in
      ensure "a waiting task can leave" (p.cancel ());
      (holders, without p line)
  | _ -> (holders, line @ [ come lock ])

let check lock (holders, line) =
  let see what expected p =
    if !(p.got) <> expected then fail "%s: %s" lock.name what
  in
  List.iter (see "a task should have been let in" true) holders;
  List.iter (see "a task was let in too early" false) line

let history make () =
  for _ = 1 to 300 do
    let lock = make () in
    let state = ref ([], []) in
    for _ = 1 to 60 do
      let holders, line = step lock !state in
      state := let_in lock holders line;
      check lock !state
    done
  done

(* {1 By hand} *)

(* Conditions and barriers lack events for some of their operations. *)
let first_in_first_out () =
  let m = Mutex.create () and c = Condition.create () in
  let waiting = ref 0 and order = ref [] in
  Dromos.run ~workers:1 ~hub:Dromos.Hub.fifo (fun () ->
      Dromos.Scope.run (fun s ->
          for i = 1 to 10 do
            Dromos.Scope.fork s (fun () ->
                Mutex.protect m (fun () ->
                    incr waiting;
                    let mine = !waiting in
                    if i land 1 = 0 then Condition.wait c m
                    else Condition.wait ~timeout:1000. c m;
                    order := mine :: !order))
          done;
          while !waiting < 10 do
            Dromos.yield ()
          done;
          for _ = 1 to 3 do
            Condition.signal c;
            Mutex.protect m ignore
          done;
          Condition.broadcast c));
  if List.rev !order <> List.init 10 (fun i -> i + 1) then
    fail "order: %s" (String.concat " " (List.map string_of_int !order))

let barrier_by_events () =
  let b = Barrier.create 3 in
  let first = Barrier.arrive b in
  times_out "one of three" (fun () -> Barrier.wait ~timeout:0.001 b);
  equal "taken back" 1 (Barrier.arrived b);
  let second = Barrier.arrive b in
  ensure "two of three" (Event.poll first = None);
  ensure "the last" (Barrier.wait b);
  ensure "first" (Event.poll first = Some ());
  ensure "second" (Event.poll second = Some ());
  equal "next round" 0 (Barrier.arrived b)

let downgrade_lets_readers_in () =
  let l = Rwlock.create () in
  Rwlock.lock_write l;
  let reader = ref false and writer = ref false in
  let start event flag =
    ignore (Author.Event.start event (fun _ -> flag := true) : unit -> bool)
  in
  start (Rwlock.lock_read_event l) reader;
  start (Rwlock.lock_write_event l) writer;
  Rwlock.downgrade l;
  ensure "the reader" !reader;
  ensure "not the writer" (not !writer);
  ensure "readers stand behind the writer" (not (Rwlock.try_lock_read l));
  Rwlock.unlock_read l;
  Rwlock.unlock_read l;
  ensure "the writer" !writer

let cases =
  [
    Watch.case "histories: mutex" (history mutex);
    Watch.case "histories: semaphore" (history semaphore);
    Watch.case "histories: permits" (history permits);
    Watch.case "histories: rwlock" (history rwlock);
    Watch.case "condition, first in first out" first_in_first_out;
    Watch.case "barrier, step by step" barrier_by_events;
    Watch.case "downgrade" downgrade_lets_readers_in;
  ]
