(* More domains than cores, and random schedules: every pushed item is taken
   exactly once. *)

open Dromos_deque

let dummy = -1

(* Prints the seed; QCHECK_SEED=n draws the same numbers again. *)
let random = QCheck_base_runner.random_state ()

(* The state of item [i]: not taken (0), or taken (1). *)
let ledger n = Array.init n (fun _ -> Atomic.make 0)

let take ledger v =
  if v < 0 || v >= Array.length ledger then failwith "not an item";
  if Atomic.exchange ledger.(v) 1 <> 0 then
    failwith (Printf.sprintf "item %d was taken twice" v)

let balance ledger =
  Array.iteri
    (fun i taken ->
      if Atomic.get taken = 0 then Alcotest.failf "item %d was lost" i)
    ledger

(* On few cores, a spinning domain must let the other domains run now and
   then. *)
let pause state =
  if Random.State.int state 64 = 0 then Unix.sleepf 1e-5
  else Domain.cpu_relax ()

(* A broken invariant in one domain ends the other domains, and the test. *)
let guarded failed f () =
  try f ()
  with e ->
    Atomic.set failed true;
    raise e

(* A fault may show as a lost item for which all domains wait: give up after a
   while. *)
let deadline seconds =
  let limit = Unix.gettimeofday () +. seconds in
  fun () -> Unix.gettimeofday () > limit

(* {1 One owner, several thieves} *)

type deque = {
  push : int -> bool;
  pop : unit -> int option;
  steal : unit -> int option;
}

let bounded () =
  let d = Bounded.create ~capacity:16 ~dummy in
  {
    push = Bounded.push d;
    pop = (fun () -> Bounded.pop d);
    steal = (fun () -> Bounded.steal d);
  }

let dynamic () =
  let d = Dynamic.create ~capacity:1 ~dummy in
  {
    push =
      (fun v ->
        Dynamic.push d v;
        true);
    pop = (fun () -> Dynamic.pop d);
    steal = (fun () -> Dynamic.steal d);
  }

let owner_and_thieves make ~thieves ~items () =
  let d = make () in
  let ledger = ledger items in
  let finished = Atomic.make false in
  let thief state () =
    let stolen = ref 0 in
    while not (Atomic.get finished) do
      match d.steal () with
      | Some v ->
          take ledger v;
          incr stolen
      | None -> pause state
    done;
    !stolen
  in
  let spawn _ =
    let state = Random.State.split random in
    Domain.spawn (guarded finished (thief state))
  in
  let domains = List.init thieves spawn in
  (* Pushes and pops in bursts, so that the deque is long at times and empty at
     times. *)
  let next = ref 0 in
  let rec pop_some n =
    if n > 0 then
      match d.pop () with
      | Some v ->
          take ledger v;
          pop_some (n - 1)
      | None -> ()
  in
  while !next < items do
    for _ = 0 to Random.State.int random 40 do
      if !next < items && d.push !next then incr next
    done;
    pop_some (Random.State.int random 40)
  done;
  pop_some max_int;
  Atomic.set finished true;
  let stolen = List.map Domain.join domains in
  Printf.printf "stolen: %s of %d\n"
    (String.concat " " (List.map string_of_int stolen))
    items;
  balance ledger

(* {1 Several workers, each an owner and a thief} *)

module Workers (D : Ws_deques.S) = struct
  type t = {
    deques : int D.t;
    ledger : int Atomic.t array;
    taken : int Atomic.t;
    stop : bool Atomic.t;
  }

  let got t = function
    | None -> false
    | Some v ->
        take t.ledger v;
        Atomic.incr t.taken;
        true

  (* Leaves in the middle of an operation, and comes back. *)
  let retire t state i =
    D.block t.deques i;
    let rec home () =
      ignore (got t (D.withdraw t.deques i));
      if D.waits_for_answer t.deques i && not (Atomic.get t.stop) then begin
        pause state;
        home ()
      end
    in
    home ();
    D.unblock t.deques i

  let work t state i ~workers ~items () =
    let d = t.deques in
    let next = ref (i * items) in
    let limit = (i + 1) * items in
    let late = deadline 30. in
    let idle () =
      pause state;
      if late () then failwith "some items never came"
    in
    while Atomic.get t.taken < workers * items && not (Atomic.get t.stop) do
      match Random.State.int state 16 with
      | 0 | 1 | 2 | 3 | 4 | 5 ->
          if !next < limit then begin
            D.push d i !next;
            incr next
          end
      | 6 | 7 | 8 -> ignore (got t (D.pop d i))
      | 9 -> D.tick d i
      | 10 -> if Random.State.int state 50 = 0 then retire t state i
      | _ ->
          let victim = Random.State.int state workers in
          if victim <> i && not (got t (D.steal d ~thief:i ~victim)) then
            idle ()
    done

  let run ~workers ~items () =
    let t =
      {
        deques = D.create ~workers ~dummy;
        ledger = ledger (workers * items);
        taken = Atomic.make 0;
        stop = Atomic.make false;
      }
    in
    let spawn i =
      let state = Random.State.split random in
      Domain.spawn (guarded t.stop (work t state i ~workers ~items))
    in
    let domains = List.init workers spawn in
    List.iter Domain.join domains;
    balance t.ledger
end

module Public_workers = Workers (Public)
module Private_workers = Workers (Private_)
module Dealing_workers = Workers (Dealing)

let () =
  let thieves = 2 + Random.State.int random 4 in
  let workers = 3 + Random.State.int random 3 in
  Printf.printf "%d thieves, %d workers\n%!" thieves workers;
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "deques under stress"
    [
      ( "owner and thieves",
        [
          case "bounded" (owner_and_thieves bounded ~thieves ~items:300_000);
          case "dynamic" (owner_and_thieves dynamic ~thieves ~items:300_000);
        ] );
      ( "workers",
        [
          case "public" (Public_workers.run ~workers ~items:40_000);
          case "private" (Private_workers.run ~workers ~items:40_000);
          case "dealing" (Dealing_workers.run ~workers ~items:40_000);
        ] );
    ]
