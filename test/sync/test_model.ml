(* Model checking of the cells in which fibers wait: lib/sync's write-once cell,
   and the join, suspension and count of pending tasks in lib/fiber. *)

open Dromos_model

let ensure text ok = if not ok then failwith text
let once text n = ensure (Printf.sprintf "%s: %d times" text n) (n = 1)

(* {1 Once} *)

module type Once = sig
  type 'a t
  type 'a listener

  val create : unit -> 'a t
  val peek : 'a t -> 'a option
  val is_closed : 'a t -> bool
  val nobody : 'a listener
  val listen : 'a t -> ('a -> unit) -> 'a listener
  val leave : 'a listener -> unit
  val close : 'a t -> 'a -> bool
end

module Cell (B : Once) = struct
  (* The outcome of a listener. *)
  type heard = { mutable times : int; mutable value : int; mutable kept : bool }

  let quiet () = { times = 0; value = 0; kept = false }

  let listen cell h =
    let place =
      B.listen cell (fun v ->
          h.times <- h.times + 1;
          h.value <- v)
    in
    h.kept <- place != B.nobody;
    place

  (* A listener that stays is called once, with the winner's value, unless
     [listen] itself reported the cell closed. *)
  let stayed h =
    if h.kept then begin
      once "a listener that stayed was called" h.times;
      ensure "the value is the closer's" (h.value = 1 || h.value = 2)
    end
    else ensure "a listener that was refused was called" (h.times = 0)

  let listen_and_close () =
    let cell = B.create () in
    let a = quiet () and b = quiet () and won = ref 0 in
    let close v () = if B.close cell v then incr won in
    ( [
        (fun () -> ignore (listen cell a));
        (fun () -> ignore (listen cell b));
        close 1;
        close 2;
      ],
      fun () ->
        once "the cell was closed" !won;
        stayed a;
        stayed b;
        match B.peek cell with
        | Some v ->
            ensure "one value for all"
              ((a.times = 0 || a.value = v) && (b.times = 0 || b.value = v))
        | None -> failwith "not closed" )

  let leave_and_close () =
    let cell = B.create () in
    let a = quiet () and b = quiet () in
    let place_a = listen cell a in
    let gone = ref false in
    ( [
        (fun () ->
          B.leave place_a;
          gone := B.is_closed cell = false);
        (fun () -> ignore (listen cell b));
        (fun () -> ignore (B.close cell 1));
      ],
      fun () ->
        ensure "at most once" (a.times <= 1);
        ensure "left before the closing began" ((not !gone) || a.times = 0);
        stayed b )

  (* Two cells are full, so the third listener sweeps, while one leaves. *)
  let sweep () =
    let cell = B.create () in
    let a = quiet () and b = quiet () and c = quiet () and d = quiet () in
    let place_a = listen cell a in
    ignore (listen cell b);
    ( [
        (fun () -> B.leave place_a);
        (fun () -> ignore (listen cell c));
        (fun () -> ignore (listen cell d));
      ],
      fun () ->
        ensure "closes" (B.close cell 1);
        ensure "one that had left" (a.times = 0);
        List.iter stayed [ b; c; d ] )

  let sweep_and_close () =
    let cell = B.create () in
    let a = quiet () and b = quiet () and c = quiet () in
    let place_a = listen cell a in
    ignore (listen cell b);
    ( [
        (fun () -> B.leave place_a);
        (fun () -> ignore (listen cell c));
        (fun () -> ignore (B.close cell 1));
      ],
      fun () ->
        ensure "at most once" (a.times <= 1);
        List.iter stayed [ b; c ] )
end

module Good_cell = Cell (Sync_traced.Once)
module Late = Cell (Sync_traced.Once_late)
module Blind = Cell (Sync_traced.Once_blind)
module Swept = Cell (Sync_traced.Once_swept)
module Copied = Cell (Sync_traced.Once_copied)

let once_cell =
  [
    Explore.passes "two listen, two close" Good_cell.listen_and_close;
    Explore.passes "one leaves, one listens, one closes"
      Good_cell.leave_and_close;
    Explore.passes "sweeping" Good_cell.sweep;
    Explore.passes "sweeping and closing" Good_cell.sweep_and_close;
    Explore.catches "close in two steps" Late.listen_and_close;
    Explore.catches "listen without looking" Blind.listen_and_close;
    Explore.catches "sweep too much" Swept.sweep;
    Explore.catches "sweep to copies" Copied.sweep;
  ]

(* {1 Suspension} *)

module type Suspension = sig
  type t

  val create : unit -> t
  val won : t -> bool
  val listen : t -> exn Sync_traced.Once.t -> (exn -> unit) -> unit
end

module Wait (S : Suspension) = struct
  module B = Sync_traced.Once

  (* The fiber waits, while the structure resumes it, the node is cancelled, or
     both. *)
  let scenario ~resumes ~cancels ~early () =
    let node = B.create () in
    if early then ignore (B.close node Exit);
    let s = S.create () in
    let woken = ref 0 and cancelled = ref 0 in
    let wake _ =
      if S.won s then begin
        incr woken;
        incr cancelled
      end
    in
    let threads =
      [ (fun () -> S.listen s node wake) ]
      @ List.init resumes (fun _ () -> if S.won s then incr woken)
      @ List.init cancels (fun _ () -> ignore (B.close node Exit))
    in
    ( threads,
      fun () ->
        once "the fiber was resumed" !woken;
        ensure "no thread may resume it again" (not (S.won s));
        (* A remaining listener would be called now. *)
        let before = !cancelled in
        ignore (B.close node Exit);
        ensure "a listener was left behind" (!cancelled = before) )

  (* If the structure won, the listener must be gone: the next closing of the
     node must not even try. *)
  let leaves () =
    let node = B.create () in
    let s = S.create () in
    let tries = ref 0 and first = ref false in
    let wake _ =
      incr tries;
      ignore (S.won s)
    in
    ( [ (fun () -> S.listen s node wake); (fun () -> first := S.won s) ],
      fun () ->
        ensure "the only one to resume it" !first;
        ignore (B.close node Exit);
        ensure "the node still holds the fiber" (!tries = 0) )
end

module Good_wait = Wait (Front_traced.Suspension)
module Wait_twice = Wait (Front_traced.Suspension_twice)
module Wait_left = Wait (Front_traced.Suspension_left)
module Wait_deaf = Wait (Front_traced.Suspension_deaf)

let suspension =
  let open Good_wait in
  [
    Explore.passes "resumed or cancelled"
      (scenario ~resumes:1 ~cancels:1 ~early:false);
    Explore.passes "resumed by one of two"
      (scenario ~resumes:2 ~cancels:0 ~early:false);
    Explore.passes "resumed by one of two, or cancelled"
      (scenario ~resumes:2 ~cancels:1 ~early:false);
    Explore.passes "cancelled" (scenario ~resumes:0 ~cancels:1 ~early:false);
    Explore.passes "cancelled before"
      (scenario ~resumes:0 ~cancels:0 ~early:true);
    Explore.passes "cancelled before, and resumed"
      (scenario ~resumes:1 ~cancels:0 ~early:true);
    Explore.passes "nothing stays in the node" leaves;
    Explore.catches "resumed twice"
      (Wait_twice.scenario ~resumes:1 ~cancels:1 ~early:false);
    Explore.catches "a listener stays" Wait_left.leaves;
    Explore.catches "an earlier cancellation is missed"
      (Wait_deaf.scenario ~resumes:0 ~cancels:0 ~early:true);
  ]

(* {1 Join} *)

module type Join = sig
  type 'b t

  val create : unit -> 'b t
  val claim : 'b t -> bool
  val finish : 'b t -> ('b, exn * Printexc.raw_backtrace) result -> unit
  val outcome : 'b t -> ('b, exn * Printexc.raw_backtrace) result option
  val block : 'b t -> unit Dromos_suspend.resumer -> unit option
  val ask : 'b t -> (unit -> unit) -> unit
  val answer : 'b t -> (unit -> unit) option
end

module Branch (J : Join) = struct
  (* The last act of the forking fiber: it takes its branch back, or waits.
     [resumed] counts wake-ups. An execution is right if the fiber either ran
     the branch, or got the outcome once. *)
  let finish j = J.finish j (Ok 7)

  let worker j ran () =
    if J.claim j then begin
      incr ran;
      finish j
    end

  (* The fiber waits again after the cancellation of its first wait: the first
     resumer answers false. *)
  let wait j state () =
    match
      J.block j (fun _ ->
          incr state;
          true)
    with
    | Some () -> incr state
    | None -> ()

  let take_back_or_wait ~waits () =
    let j = J.create () in
    let ran = ref 0 and mine = ref 0 in
    let told = ref 0 and waited = ref false in
    ( [
        worker j ran;
        worker j ran;
        (fun () ->
          if J.claim j then incr mine
          else begin
            waited := true;
            for _ = 2 to waits do
              ignore (J.block j (fun _ -> false))
            done;
            wait j told ()
          end);
      ],
      fun () ->
        once "the branch was run" (!ran + !mine);
        if !waited then once "the waiting fiber was woken" !told;
        if !mine = 0 then ensure "the outcome stays" (J.outcome j = Some (Ok 7))
    )
end

module Request (J : Join) = struct
  (* The branch makes [asks] requests, the last to end; the worker that serves a
     request continues the branch. The forking fiber serves requests until it
     learns of the end. *)
  let scenario ~asks () =
    let j = J.create () in
    let mine = ref 0 and told = ref 0 and asked = ref 0 in
    let rec branch n () =
      incr asked;
      if n > 1 then J.ask j (branch (n - 1)) else J.finish j (Ok 7)
    in
    let rec attend () =
      match J.answer j with
      | Some request ->
          request ();
          attend ()
      | None -> (
          let resume _ =
            attend ();
            true
          in
          match J.outcome j with
          | Some _ -> incr told
          | None -> if J.block j resume = Some () then attend ())
    in
    ( [
        (fun () -> if J.claim j then J.ask j (branch asks));
        (fun () -> if J.claim j then incr mine else attend ());
      ],
      fun () ->
        once "the branch was run, or its end told" (!mine + !told);
        if !mine = 0 && !asked <> asks then
          failwith (Printf.sprintf "asked %d times" !asked) )
end

module Good_request = Request (Front_traced.Join)
module Request_hidden = Request (Front_traced.Join_hidden)
module Good_branch = Branch (Front_traced.Join)
module Branch_over = Branch (Front_traced.Join_over)
module Branch_twice = Branch (Front_traced.Join_twice)
module Branch_mute = Branch (Front_traced.Join_mute)

let join =
  [
    Explore.passes "taken back or waited for"
      (Good_branch.take_back_or_wait ~waits:1);
    Explore.passes "waited for again after a cancelled wait"
      (Good_branch.take_back_or_wait ~waits:2);
    Explore.passes "a request" (Good_request.scenario ~asks:1);
    Explore.passes "two requests" (Good_request.scenario ~asks:2);
    Explore.catches "a request wakes no fiber" (Request_hidden.scenario ~asks:1);
    Explore.catches "the waiter hides the result"
      (Branch_over.take_back_or_wait ~waits:1);
    Explore.catches "claimed twice" (Branch_twice.take_back_or_wait ~waits:1);
    Explore.catches "the end in two steps"
      (Branch_mute.take_back_or_wait ~waits:1);
  ]

(* {1 Free_stack} *)

module type Free_stack = sig
  type 'a t

  val create : unit -> 'a t
  val push : 'a t -> 'a -> unit
  val pop : 'a t -> 'a option
end

module Scratch (S : Free_stack) = struct
  (* Two values are there; each thread takes a value, or makes a new value, and
     gives the value back. *)
  let scenario ~users () =
    let stack = S.create () in
    let used = Array.make (users + 2) 0 and wrong = ref [] in
    S.push stack 0;
    S.push stack 1;
    let user i () =
      let v = match S.pop stack with Some v -> v | None -> i + 2 in
      used.(v) <- used.(v) + 1;
      if used.(v) > 1 then wrong := "in two hands" :: !wrong;
      let back () =
        used.(v) <- used.(v) - 1;
        S.push stack v
      in
      back ()
    in
    ( List.init users user,
      fun () ->
        List.iter failwith !wrong;
        let rec all found =
          match S.pop stack with None -> found | Some v -> all (v :: found)
        in
        let found = all [] in
        if List.length (List.sort_uniq compare found) <> List.length found then
          failwith "twice";
        List.iter
          (fun v -> if not (List.mem v found) then failwith "lost")
          [ 0; 1 ] )
end

module Good_scratch = Scratch (Front_traced.Free_stack)
module Scratch_twice = Scratch (Front_traced.Free_stack_twice)

let free_stack =
  [
    Explore.passes "three users" (Good_scratch.scenario ~users:3);
    Explore.catches "taken twice" (Scratch_twice.scenario ~users:2);
  ]

(* {1 Pending} *)

module type Pending = sig
  type t

  val create : unit -> t
  val enter : t -> bool
  val exit : t -> unit
  val body_over : t -> bool
  val block : t -> unit Dromos_suspend.resumer -> unit option
end

module Count (P : Pending) = struct
  (* [inside] parts have entered before the body ends; [late] parts try
     meanwhile. *)
  let scenario ~inside ~late () =
    let p = P.create () in
    for _ = 1 to inside do
      ensure "entered" (P.enter p)
    done;
    let over = ref 0 and live = ref inside and ended = ref false in
    (* Errors in a thread are reported at the end. *)
    let wrong = ref [] in
    let ensure text ok = if not ok then wrong := text :: !wrong in
    let body () =
      let done_ () =
        incr over;
        ensure "parts are left" (!live = 0);
        ended := true
      in
      if P.body_over p then
        match
          P.block p (fun _ ->
              done_ ();
              true)
        with
        | Some () -> done_ ()
        | None -> ()
      else done_ ()
    in
    let part () =
      decr live;
      P.exit p
    in
    let latecomer () =
      if P.enter p then begin
        incr live;
        ensure "entered after the end" (not !ended);
        part ()
      end
    in
    ( (body :: List.init inside (fun _ -> part))
      @ List.init late (fun _ -> latecomer),
      fun () ->
        List.iter failwith !wrong;
        once "the body went on" !over;
        if P.enter p then failwith "entered after all was over" )
end

module Good_count = Count (Front_traced.Pending)
module Count_early = Count (Front_traced.Pending_early)
module Count_both = Count (Front_traced.Pending_both)
module Count_late = Count (Front_traced.Pending_late)

let pending =
  [
    Explore.passes "no tasks" (Good_count.scenario ~inside:0 ~late:0);
    Explore.passes "one task" (Good_count.scenario ~inside:1 ~late:0);
    Explore.passes "two tasks" (Good_count.scenario ~inside:2 ~late:0);
    Explore.passes "a task, and one that comes late"
      (Good_count.scenario ~inside:1 ~late:1);
    Explore.passes "two that come late" (Good_count.scenario ~inside:0 ~late:2);
    Explore.catches "a lost wake-up" (Count_early.scenario ~inside:1 ~late:0);
    Explore.catches "woken twice" (Count_both.scenario ~inside:1 ~late:0);
    Explore.catches "entered after the end"
      (Count_late.scenario ~inside:0 ~late:1);
  ]

let () =
  Alcotest.run "sync: model"
    [
      ("write-once cell", once_cell);
      ("suspension", suspension);
      ("join", join);
      ("pending", pending);
      ("free stack", free_stack);
    ]
