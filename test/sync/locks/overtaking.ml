(* Running tasks overtake the waiters of a mutex: seldom enough, and often
   enough. All tests except the last count the actions of one worker, so that
   nothing depends on time. *)

open Dromos_sync
open Places

let most = 64

(* Waits until [n] fibers have begun to wait for the caller's lock. *)
let gather begun n =
  while !begun < n do
    Dromos.yield ()
  done

(* All contenders except one wait. From then on, without overtaking, each
   locking would hand the mutex over. *)
let convoy () =
  let contenders = 16 and times = 640 in
  let m = Mutex.create () and begun = ref 0 in
  let last = ref 0 and changes = ref 0 in
  let contend i () =
    incr begun;
    for _ = 1 to times do
      Mutex.lock m;
      if !last <> i then begin
        last := i;
        incr changes
      end;
      Mutex.unlock m
    done
  in
  Dromos.run ~workers:1 (fun () ->
      Dromos.Scope.run (fun s ->
          Mutex.lock m;
          for i = 1 to contenders do
            Dromos.Scope.fork s (contend i)
          done;
          gather begun contenders;
          Mutex.unlock m));
  let lockings = contenders * times in
  if !changes > 3 * lockings / most then
    fail "%d lockings, %d hand-overs" lockings !changes

(* The holder locks again and again until the waiter has been inside. *)
let nobody_starves () =
  let m = Mutex.create () and begun = ref 0 in
  let inside = ref false and overtook = ref 0 in
  Dromos.run ~workers:1 (fun () ->
      Dromos.Scope.run (fun s ->
          Mutex.lock m;
          Dromos.Scope.fork s (fun () ->
              incr begun;
              Mutex.protect m (fun () -> inside := true));
          gather begun 1;
          Mutex.unlock m;
          while not !inside do
            Mutex.protect m (fun () -> if not !inside then incr overtook)
          done));
  equal "overtook" most !overtook

(* Overtaken or not, waiters get the mutex in the order of arrival. *)
let in_order () =
  let waiters = 10 in
  let m = Mutex.create () and begun = ref 0 and order = ref [] in
  Dromos.run ~workers:1 ~hub:Dromos.Hub.fifo (fun () ->
      Dromos.Scope.run (fun s ->
          Mutex.lock m;
          for _ = 1 to waiters do
            Dromos.Scope.fork s (fun () ->
                incr begun;
                let mine = !begun in
                Mutex.protect m (fun () -> order := mine :: !order))
          done;
          gather begun waiters;
          Mutex.unlock m;
          while List.length !order < waiters do
            Mutex.protect m (fun () -> Dromos.yield ());
            Dromos.yield ()
          done));
  if List.rev !order <> List.init waiters (fun i -> i + 1) then
    fail "order: %s" (String.concat " " (List.map string_of_int !order))

(* More workers than cores; every third contender is cancelled on the way. *)
let crowded () =
  let m = Mutex.create () in
  let inside = ref false and total = ref 0 and counted = Atomic.make 0 in
  let contend scope i () =
    for k = 1 to 500 do
      if i mod 3 = 0 && k = 250 then Dromos.Scope.cancel scope;
      Mutex.protect m (fun () ->
          ensure "alone" (not !inside);
          inside := true;
          incr total;
          inside := false);
      Atomic.incr counted
    done
  in
  Dromos.run ~workers:4 (fun () ->
      Dromos.Scope.run (fun s ->
          for i = 1 to 16 do
            Dromos.Scope.fork s (fun () ->
                try Dromos.Scope.run (fun mine -> contend mine i ())
                with Dromos.Cancelled when i mod 3 = 0 -> ())
          done));
  ensure "free" (Mutex.try_lock m);
  equal "total" (Atomic.get counted) !total;
  ensure "the others went on" (!total >= 11 * 500)

let cases =
  [
    Watch.case "a convoy dissolves" convoy;
    Watch.case "no task starves" nobody_starves;
    Watch.case "in the order of coming" in_order;
    Watch.case "crowded" crowded;
  ]
