(* Properties visible in one thread: rings against the infinite deque,
   capacities, and the reachability of values. *)

module Infinite = Dromos_model.Infinite
open Dromos_deque

let dummy = -1

(* {1 Rings} *)

type op = Push of int | Pop | Take

let show = function
  | Push v -> Printf.sprintf "push %d" v
  | Pop -> "pop"
  | Take -> "take"

let op =
  QCheck.Gen.frequency
    [
      (5, QCheck.Gen.map (fun v -> Push v) QCheck.Gen.small_nat);
      (3, QCheck.Gen.return Pop);
      (2, QCheck.Gen.return Take);
    ]

let ring_agrees ops =
  let ring = Ring.create ~capacity:1 ~dummy in
  let agree got expected state =
    match expected with
    | Some (v, state) when got = Some v -> state
    | None when got = None -> state
    | _ -> QCheck.Test.fail_report "a different item"
  in
  let step state = function
    | Push v ->
        Ring.push ring v;
        Infinite.push state v
    | Pop -> agree (Ring.pop ring) (Infinite.pop state) state
    | Take -> agree (Ring.take ring) (Infinite.steal state) state
  in
  let checked state op =
    let state = step state op in
    if
      Ring.size ring <> Infinite.size state
      || Ring.is_empty ring <> (Infinite.size state = 0)
    then QCheck.Test.fail_report "a different size";
    state
  in
  ignore (List.fold_left checked Infinite.empty ops);
  true

let rings =
  QCheck.Test.make ~count:500 ~name:"rings are deques"
    (QCheck.make
       ~print:QCheck.Print.(list show)
       QCheck.Gen.(list_size (int_range 0 200) op))
    ring_agrees

(* {1 Capacities} *)

let capacity () =
  let rounded asked = Bounded.(capacity (create ~capacity:asked ~dummy)) in
  Alcotest.(check (list int))
    "rounded up" [ 1; 1; 1; 2; 4; 4; 8 ]
    (List.map rounded [ -3; 0; 1; 2; 3; 4; 5 ]);
  let d = Bounded.create ~capacity:4 ~dummy in
  Alcotest.(check (list bool))
    "the fifth does not fit"
    [ true; true; true; true; false ]
    (List.map (Bounded.push d) [ 1; 2; 3; 4; 5 ]);
  Alcotest.(check (option int)) "stolen" (Some 1) (Bounded.steal d);
  Alcotest.(check bool) "now it does" true (Bounded.push d 5);
  Alcotest.(check int) "size" 4 (Bounded.size d)

let growth () =
  let d = Dynamic.create ~capacity:3 ~dummy in
  Alcotest.(check int) "at first" 4 (Dynamic.capacity d);
  for i = 1 to 1000 do
    Dynamic.push d i
  done;
  Alcotest.(check int) "grown" 1024 (Dynamic.capacity d);
  for i = 1 to 400 do
    Alcotest.(check (option int)) "oldest" (Some i) (Dynamic.steal d)
  done;
  for i = 1000 downto 401 do
    Alcotest.(check (option int)) "newest" (Some i) (Dynamic.pop d)
  done;
  Alcotest.(check (option int)) "empty" None (Dynamic.pop d);
  Alcotest.(check int) "shrunk" 4 (Dynamic.capacity d)

(* All items are stolen: the owner releases the memory when it looks. *)
let shrink_after_theft () =
  let d = Dynamic.create ~capacity:1 ~dummy in
  for i = 1 to 64 do
    Dynamic.push d i
  done;
  for _ = 1 to 64 do
    ignore (Dynamic.steal d)
  done;
  for _ = 1 to 6 do
    Alcotest.(check (option int)) "empty" None (Dynamic.pop d)
  done;
  Alcotest.(check int) "shrunk" 1 (Dynamic.capacity d)

(* Arrays of floats have a representation of their own. *)
let floats () =
  let item = Alcotest.(check (option (float 0.))) in
  let b = Bounded.create ~capacity:2 ~dummy:0. in
  let d = Dynamic.create ~capacity:1 ~dummy:0. in
  let r = Ring.create ~capacity:1 ~dummy:0. in
  let push v =
    if not (Bounded.push b v) then Alcotest.fail "full";
    Dynamic.push d v;
    Ring.push r v
  in
  List.iter push [ 1.5; 2.5 ];
  let oldest = [ Bounded.steal b; Dynamic.steal d; Ring.take r ] in
  List.iter (item "oldest" (Some 1.5)) oldest;
  let newest = [ Bounded.pop b; Dynamic.pop d; Ring.pop r ] in
  List.iter (item "newest" (Some 2.5)) newest;
  let none = [ Bounded.pop b; Dynamic.pop d; Ring.pop r ] in
  List.iter (item "empty" None) none

(* {1 Memory}: a finaliser notes when a value is unreachable. *)

(* Pushes 100 values and takes 60: exactly 40 must be alive. *)
let forgets ~push ~take ~after =
  let alive = ref 0 in
  let value i =
    let v = ref i in
    incr alive;
    Gc.finalise (fun _ -> decr alive) v;
    v
  in
  for i = 1 to 100 do
    push (value i)
  done;
  for _ = 1 to 60 do
    if Sys.opaque_identity (take ()) = None then Alcotest.fail "not there"
  done;
  after ();
  Gc.full_major ();
  Gc.full_major ();
  Alcotest.(check int) "still reachable" 40 !alive

let dynamic ~take ~after () =
  let d = Dynamic.create ~capacity:1 ~dummy:(ref dummy) in
  forgets ~push:(Dynamic.push d)
    ~take:(fun () -> take d)
    ~after:(fun () -> after d);
  ignore (Sys.opaque_identity d)

let bounded ~take ~after () =
  let d = Bounded.create ~capacity:128 ~dummy:(ref dummy) in
  forgets
    ~push:(fun v -> if not (Bounded.push d v) then Alcotest.fail "full")
    ~take:(fun () -> take d)
    ~after:(fun () -> after d);
  ignore (Sys.opaque_identity d)

let ring () =
  let r = Ring.create ~capacity:1 ~dummy:(ref dummy) in
  let turn = ref false in
  let take () =
    turn := not !turn;
    if !turn then Ring.pop r else Ring.take r
  in
  forgets ~push:(Ring.push r) ~take ~after:ignore;
  ignore (Sys.opaque_identity r)

let handed_over () =
  let t = Private_.create ~workers:2 ~dummy:(ref dummy) in
  let take () =
    ignore (Private_.steal t ~thief:1 ~victim:0);
    Private_.tick t 0;
    Private_.withdraw t 1
  in
  forgets ~push:(Private_.push t 0) ~take ~after:ignore;
  ignore (Sys.opaque_identity t)

let dealt_out () =
  let t = Dealing.create ~workers:2 ~dummy:(ref dummy) in
  let take () =
    ignore (Dealing.steal t ~thief:1 ~victim:0);
    Dealing.tick t 0;
    Dealing.withdraw t 1
  in
  forgets ~push:(Dealing.push t 0) ~take ~after:ignore;
  ignore (Sys.opaque_identity t)

let next_operation d =
  ignore (Bounded.push d (ref 0));
  ignore (Bounded.pop d)

(* {1 Private deques, one step at a time} *)

let request_and_answer () =
  let t = Private_.create ~workers:3 ~dummy in
  let item = Alcotest.(check (option int)) in
  let waits = Alcotest.(check bool) in
  let steal ?(victim = 0) thief = Private_.steal t ~thief ~victim in
  item "nothing to ask for" None (steal 1);
  waits "so no thief waits" false (Private_.waits_for_answer t 1);
  Private_.push t 0 1;
  Private_.push t 0 2;
  Private_.push t 0 3;
  item "asks" None (steal 1);
  waits "waits" true (Private_.waits_for_answer t 1);
  item "one request at a time" None (steal 2);
  waits "the other does not wait" false (Private_.waits_for_answer t 2);
  item "the owner's need comes first" (Some 3) (Private_.pop t 0);
  item "the answer" (Some 1) (steal 1);
  waits "answered" false (Private_.waits_for_answer t 1);
  item "asks again" None (steal 1);
  item "another victim: withdraws" None (steal ~victim:2 1);
  waits "withdrawn" false (Private_.waits_for_answer t 1);
  item "asks" None (steal 2);
  Private_.block t 0;
  item "refused" None (steal 2);
  waits "refused" false (Private_.waits_for_answer t 2);
  Alcotest.(check bool) "blocked" false (Private_.may_have t 0);
  Private_.unblock t 0;
  Alcotest.(check bool) "unblocked" true (Private_.may_have t 0);
  item "the last" (Some 2) (Private_.pop t 0);
  Alcotest.(check bool) "nothing left" false (Private_.may_have t 0);
  item "empty" None (Private_.pop t 0)

let announcing_and_dealing () =
  let t = Dealing.create ~workers:3 ~dummy in
  let item = Alcotest.(check (option int)) in
  let waits = Alcotest.(check bool) in
  let dealt = Alcotest.(check int) in
  let steal thief = Dealing.steal t ~thief ~victim:0 in
  item "announces itself" None (steal 1);
  waits "waits" true (Dealing.waits_for_answer t 1);
  Dealing.push t 0 1;
  dealt "to the one that waits" 1 (Dealing.dealt t 0);
  dealt "said once" (-1) (Dealing.dealt t 0);
  Dealing.push t 0 2;
  dealt "one is enough" (-1) (Dealing.dealt t 0);
  item "the item" (Some 1) (steal 1);
  waits "waits no more" false (Dealing.waits_for_answer t 1);
  item "announces itself" None (steal 1);
  item "withdraws" None (Dealing.withdraw t 1);
  item "another does" None (steal 2);
  Dealing.push t 0 3;
  dealt "to the other" 2 (Dealing.dealt t 0);
  item "the oldest, though it withdraws" (Some 2) (Dealing.withdraw t 2);
  item "the last" (Some 3) (Dealing.oldest t 0);
  item "empty" None (Dealing.pop t 0)

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "deques"
    [
      ("rings", [ QCheck_alcotest.to_alcotest rings ]);
      ( "capacity",
        [
          case "bounded" capacity;
          case "growing and shrinking" growth;
          case "shrinking after theft" shrink_after_theft;
          case "floats" floats;
        ] );
      ( "memory",
        [
          case "dynamic, popped" (dynamic ~take:Dynamic.pop ~after:ignore);
          case "dynamic, stolen and swept"
            (dynamic ~take:Dynamic.steal ~after:Dynamic.sweep);
          case "bounded, popped" (bounded ~take:Bounded.pop ~after:ignore);
          case "bounded, stolen, at the owner's next operation"
            (bounded ~take:Bounded.steal ~after:next_operation);
          case "ring, both ends" ring;
          case "private, handed over" handed_over;
          case "dealing, dealt" dealt_out;
        ] );
      ("private", [ case "request and answer" request_and_answer ]);
      ("dealing", [ case "announcing and dealing" announcing_and_dealing ]);
    ]
