(* Each operation of the public interface, called so deep on the stack that the
   operation overflows, at hundreds of depths, with frames of several sizes. The program catches the exception. The
   structure must then work as before, and the run must end. *)

open Dromos

let () = Gc.set { (Gc.get ()) with stack_limit = 20_000 }

(* {1 Near the limit} *)

let rec small f n = if n = 0 then f () else 1 + small f (n - 1)

(* A frame that is larger by some words. *)
let rec large f n a b c d =
  if n = 0 then f () + a + b + c + d
  else 1 + large f (n - 1) b c d a + a + b + c + d

(* [padded p f n] calls [f] below [n] small frames and [p] large ones. *)
let padded p f n =
  if p = 0 then small f n else large (fun () -> small f n) p 1 2 3 4

(* Near the depth at which [f] first overflows. *)
let rec too_deep f n =
  match padded 0 f n with
  | (_ : int) -> too_deep f (n + 100)
  | exception Stack_overflow -> n

(* Calls [op] at each depth around the depth from which [op] overflows, and then
   near the end of the stack. *)
let overflow op =
  let count = { Operations.fine = 0; over = 0 } in
  let f () =
    op ();
    count.fine <- count.fine + 1;
    0
  in
  let attempt p n =
    match padded p f n with
    | (_ : int) -> ()
    | exception Stack_overflow -> count.over <- count.over + 1
  in
  let own = too_deep f 1000 and last = too_deep (fun () -> 0) 1000 in
  for p = 0 to 3 do
    for n = own - 300 to own + 200 do
      attempt p n
    done;
    for n = last - 200 to last do
      attempt p n
    done
  done;
  if count.over < 500 || count.fine < 500 then
    Alcotest.failf "%d calls ended, %d overflowed: the test has no force"
      count.fine count.over;
  count

(* {1 Recursion without an end}

   Each level of the recursion is an operation, so the operations of many levels
   are cut short at once. *)

let rec left () = ignore (both left ignore)
let rec right () = ignore (both ignore right)
let rec forks () = ignore (both forks forks)
let rec lists () = ignore (all [ lists; ignore ])

let rec scopes () =
  Scope.run (fun s ->
      Scope.fork s ignore;
      scopes ())

let rec locks m = Mutex.protect (Mutex.create ()) (fun () -> locks m)

let endless f () =
  for _ = 1 to 20 do
    match f () with
    | () -> Alcotest.fail "the recursion ended"
    | exception Stack_overflow -> yield ()
  done

let recursions =
  [
    ("both, to the left", endless left);
    ("both, to the right", endless right);
    ("both of both", endless forks);
    ("lists of lists", endless lists);
    ("scopes of scopes", endless scopes);
    ("locks under locks", endless (fun () -> locks ()));
  ]

(* {1 The suite} *)

let in_run workers make () =
  run ~workers (fun () ->
      let op, check = make () in
      check (overflow op))

let test_recursion workers (name, f) =
  Watch.case name (fun () -> run ~workers f)

let test workers (name, make) = Watch.case name (in_run workers make)

let () =
  Watch.suite "overflow" @@ fun () ->
  let ops = Operations.all in
  Alcotest.run "overflow"
    [
      ("one worker", List.map (test 1) ops);
      ("two workers", List.map (test 2) ops);
      ("recursion, one worker", List.map (test_recursion 1) recursions);
      ("recursion, two workers", List.map (test_recursion 2) recursions);
    ]
