(* The same scenarios in each place. *)

open Dromos_sync
open Places

let parties = 4
let rounds = 150
let many f = List.init parties (fun i () -> f i)

(* Plain variables guarded by a mutex, and pauses while the mutex is held. *)
let counter place =
  let m = Mutex.create () in
  let inside = ref 0 and total = ref 0 in
  let body i =
    ensure "alone" (!inside = 0);
    incr inside;
    if i land 3 = 0 then place.pause ();
    decr inside;
    incr total
  in
  let party p =
    for i = 1 to rounds do
      match (i + p) mod 3 with
      | 0 -> Mutex.protect m (fun () -> body i)
      | 1 ->
          Mutex.lock m;
          body i;
          Mutex.unlock m
      | _ ->
          Event.sync (Mutex.lock_event m);
          body i;
          Mutex.unlock m
    done
  in
  place.at_once (many party);
  equal "total" (parties * rounds) !total;
  ensure "free" (not (Mutex.is_locked m))

(* Two mutexes at a time, in a choice; and time-outs that never end. *)
let choices place =
  let a = Mutex.create () and b = Mutex.create () in
  let in_a = ref 0 and in_b = ref 0 in
  let party p =
    for i = 1 to rounds do
      let either =
        Event.choose
          [
            Event.wrap (Mutex.lock_event a) (fun () -> (a, in_a));
            Event.wrap (Mutex.lock_event b) (fun () -> (b, in_b));
          ]
      in
      let m, count =
        if (i + p) land 1 = 0 then Event.sync either
        else begin
          Mutex.lock ~timeout:1000. a;
          (a, in_a)
        end
      in
      incr count;
      if i land 7 = 0 then place.pause ();
      Mutex.unlock m
    done
  in
  place.at_once (many party);
  equal "total" (parties * rounds) (!in_a + !in_b);
  ensure "free" (not (Mutex.is_locked a || Mutex.is_locked b))

(* A buffer of two places between two producers and two consumers. *)
let buffer place =
  let m = Mutex.create () in
  let filled = Condition.create () and emptied = Condition.create () in
  let queue = Queue.create () and sum = ref 0 in
  let producer p =
    for i = 1 to rounds do
      Mutex.protect m (fun () ->
          Condition.await emptied m (fun () -> Queue.length queue < 2);
          Queue.push ((p * rounds) + i) queue;
          Condition.signal filled)
    done
  in
  let consumer _ =
    for _ = 1 to rounds do
      Mutex.protect m (fun () ->
          while Queue.is_empty queue do
            Condition.wait ~timeout:1000. filled m
          done;
          sum := !sum + Queue.pop queue;
          Condition.signal emptied)
    done
  in
  place.at_once
    (many (fun p -> if p land 1 = 0 then producer (p / 2) else consumer p));
  equal "sum" (rounds * ((2 * rounds) + 1)) !sum

(* All parties wait for a broadcast, again and again. *)
let turns place =
  let m = Mutex.create () and changed = Condition.create () in
  let turn = ref 0 in
  let party p =
    for i = 0 to 29 do
      Mutex.protect m (fun () ->
          let mine = (i * parties) + p in
          Condition.await ~timeout:1000. changed m (fun () -> !turn = mine);
          incr turn;
          Condition.broadcast changed)
    done
  in
  place.at_once (many party);
  equal "turns" (30 * parties) !turn

let readers_writers place =
  let l = Rwlock.create () in
  let readers = Atomic.make 0 and writers = Atomic.make 0 in
  let written = ref 0 in
  let read i () =
    Atomic.incr readers;
    equal "writers beside a reader" 0 (Atomic.get writers);
    if i land 3 = 0 then place.pause ();
    equal "writers beside a reader" 0 (Atomic.get writers);
    Atomic.decr readers
  in
  let write i () =
    Atomic.incr writers;
    equal "writers" 1 (Atomic.get writers);
    equal "readers beside a writer" 0 (Atomic.get readers);
    if i land 3 = 0 then place.pause ();
    incr written;
    Atomic.decr writers
  in
  let party p =
    for i = 1 to rounds do
      match (i + p) mod 5 with
      | 0 -> Rwlock.with_write l (write i)
      | 1 | 2 -> Rwlock.with_read l (read i)
      | 3 ->
          let both =
            Event.choose
              [
                Event.wrap (Rwlock.lock_read_event l) (fun () -> `Read);
                Event.wrap (Rwlock.lock_write_event l) (fun () -> `Write);
              ]
          in
          (match Event.sync both with
          | `Read ->
              read i ();
              Rwlock.unlock_read l
          | `Write ->
              write i ();
              Rwlock.downgrade l;
              read i ();
              Rwlock.unlock_read l);
          Rwlock.with_write ~timeout:1000. l (write i)
      | _ ->
          Rwlock.with_write l (fun () ->
              write i ();
              Rwlock.downgrade l;
              read i ())
    done
  in
  place.at_once (many party);
  equal "readers" 0 (Rwlock.readers l);
  ensure "free" (Rwlock.try_lock_write l);
  Rwlock.unlock_write l

let barrier place =
  let b = Barrier.create parties in
  let count = Atomic.make 0 and last = Atomic.make 0 in
  let party p =
    for round = 1 to 60 do
      Atomic.incr count;
      if (round + p) mod 5 = 0 then begin
        Event.sync (Barrier.arrive b);
        ensure "all are here" (Atomic.get count >= round * parties);
        if Barrier.wait b then Atomic.incr last
      end
      else begin
        if Barrier.wait ~timeout:1000. b then Atomic.incr last;
        ensure "all are here" (Atomic.get count >= round * parties);
        ignore (Barrier.wait b : bool)
      end;
      ensure "no task is ahead" (Atomic.get count <= (round + 1) * parties)
    done
  in
  place.at_once (many party);
  equal "count" (60 * parties) (Atomic.get count);
  ensure "one is the last" (Atomic.get last <= 120);
  equal "no task waits" 0 (Barrier.arrived b)

let serial place =
  let b = Barrier.create parties and last = Atomic.make 0 in
  place.at_once
    (many (fun _ ->
         for _ = 1 to 50 do
           if Barrier.wait b then Atomic.incr last
         done));
  equal "one serial party a round" 50 (Atomic.get last)

let latch_and_ivar place =
  for _ = 1 to 20 do
    let latch = Latch.create parties and cell = Ivar.create () in
    let sum = Atomic.make 0 in
    let party p =
      if p = 0 then Ivar.fill cell 7;
      ignore (Atomic.fetch_and_add sum (Ivar.read cell));
      Latch.count_down latch;
      if p land 1 = 0 then Latch.wait latch
      else Event.sync (Latch.wait_event latch);
      equal "sum" (7 * parties) (Atomic.get sum)
    in
    place.at_once (many party);
    equal "steps left" 0 (Latch.count latch)
  done

let cases =
  List.concat
    [
      each "counter" counter;
      each "choices" choices;
      each "buffer" buffer;
      each "turns" turns;
      each "readers and writers" readers_writers;
      each "barrier" barrier;
      each "serial party" serial;
      each "latch and ivar" latch_and_ivar;
    ]
