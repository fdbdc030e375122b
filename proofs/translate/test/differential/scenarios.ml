(* Scenarios for the translated structures. A scenario is a list of threads, and
   a check that runs alone after the threads. No item may be taken twice or be
   lost. *)

open Dromos_interpreter
open Setup

exception Violated of string

let require what holds = if not holds then raise (Violated what)

(* {1 Items} *)

type items = { mutable added : int list; mutable taken : int list }

let items () = { added = []; taken = [] }
let add items n = items.added <- n :: items.added

let take items = function
  | None -> false
  | Some n ->
      items.taken <- n :: items.taken;
      true

let rec take_all items next =
  require "it is never empty" (List.length items.taken < 1000);
  if take items (next ()) then take_all items next

let check_items items =
  let sorted = List.sort compare in
  let rec twice = function
    | a :: (b :: _ as rest) -> if a = b then Some a else twice rest
    | _ -> None
  in
  let taken = sorted items.taken in
  (match twice taken with
  | Some n -> raise (Violated (Printf.sprintf "item %d is taken twice" n))
  | None -> ());
  require "an item is lost, or made up" (taken = sorted items.added)

let repeat n f () =
  for i = 1 to n do
    f i
  done

(* {1 Queues} *)

let queue m =
  let call name args = Machine.call m ("base_queue_" ^ name) args in
  let q = call "create" [ unit ] and items = items () in
  let pop () = to_int_option (call "pop" [ q ]) in
  let pusher base =
    repeat 6 (fun i ->
        add items (base + i);
        ignore (call "push" [ q; int (base + i) ]))
  in
  let popper = repeat 6 (fun _ -> ignore (take items (pop ()))) in
  let check () =
    take_all items pop;
    check_items items;
    require "it is empty at the end" (to_bool (call "is_empty" [ q ]))
  in
  ([ pusher 100; pusher 200; popper; popper ], check)

let erasable m =
  let call name args = Machine.call m ("base_erasable_" ^ name) args in
  let q = call "create" [ unit ] and items = items () in
  let pop () = to_int_option (call "pop" [ q ]) in
  let pusher base =
    repeat 6 (fun i ->
        let n = base + i in
        add items n;
        let node = call "push" [ q; int n ] in
        if i mod 2 = 0 then
          if to_bool (call "erase" [ node ]) then ignore (take items (Some n)))
  in
  let popper = repeat 5 (fun _ -> ignore (take items (pop ()))) in
  let sweeper = repeat 3 (fun _ -> ignore (call "sweep" [ q ])) in
  let check () =
    take_all items pop;
    check_items items
  in
  ([ pusher 100; pusher 200; popper; sweeper; sweeper ], check)

(* Each waiter gets the value once: from [wait] if the ivar is set, otherwise by
   its callback. *)
let ivar m =
  let call name args = Machine.call m ("base_ivar_" ^ name) args in
  let t = call "create" [ unit ] in
  let told = ref [] and winners = ref [] in
  let waiter i () =
    let callback =
      native2 (fun _ v ->
          told := (i, to_int v) :: !told;
          unit)
    in
    match to_int_option (call "wait" [ t; callback ]) with
    | None -> ()
    | Some v -> told := (i, v) :: !told
  in
  let setter v () =
    if to_bool (call "set" [ unit; t; int v ]) then winners := v :: !winners
  in
  let check () =
    match !winners with
    | [ v ] ->
        let expected = List.init 4 (fun i -> (i, v)) in
        require "every waiter is told once" (List.sort compare !told = expected)
    | _ -> raise (Violated "one set succeeds")
  in
  (setter 7 :: setter 8 :: List.init 4 waiter, check)

(* Sleepers wait for a flag. The waker notifies before and after raising the
   flag. A notified sleeper notifies another sleeper, as a worker of the pool
   does. *)
let waiters m =
  let sleepers = 2 in
  let call name args = Machine.call m ("base_waiters_" ^ name) args in
  let w = call "create" [ int sleepers ] in
  let flag = Machine.call m "test_ref" [ Value.bool false ] in
  let raised () = to_bool (Machine.call m "test_get" [ flag ]) in
  let notify () = ignore (call "notify_one" [ w ]) in
  let rec sleeper i () =
    if not (raised ()) then begin
      ignore (call "prepare" [ w; int i ]);
      if raised () then begin
        if to_bool (call "cancel" [ w; int i ]) then notify ()
      end
      else begin
        ignore (call "commit" [ w; int i ]);
        notify ()
      end;
      sleeper i ()
    end
  in
  let waker () =
    notify ();
    ignore (Machine.call m "test_set" [ flag; Value.bool true ]);
    notify ();
    ignore (call "notify_all" [ w ])
  in
  let check () =
    require "no waiter is announced" (to_int (call "count" [ w ]) = 0)
  in
  (waker :: List.init sleepers sleeper, check)

(* {1 Deques} *)

let deque name ~capacity m =
  let call op args = Machine.call m ("deque_" ^ name ^ "_" ^ op) args in
  let d = call "create" [ int capacity; int (-1) ] and items = items () in
  let pop () = to_int_option (call "pop" [ d ]) in
  let push n =
    match call "push" [ d; int n ] with
    | Lit (Bool false) -> () (* the deque is full *)
    | _ -> add items n
  in
  let owner =
    repeat 12 (fun i ->
        push i;
        if i mod 3 > 0 then ignore (take items (pop ()));
        if i mod 5 = 0 then push (100 + i))
  in
  let thief =
    repeat 6 (fun _ -> ignore (take items (to_int_option (call "steal" [ d ]))))
  in
  let check () =
    take_all items pop;
    check_items items
  in
  ([ owner; thief; thief ], check)

(* Workers push, pop and steal. At its end, a worker withdraws the request for
   which no answer has come. *)
let ws name m =
  let workers = 3 in
  let call op args = Machine.call m ("deque_" ^ name ^ "_" ^ op) args in
  let d = call "create" [ int workers; int (-1) ] and items = items () in
  let option op args = to_int_option (call op args) in
  let rec give_up i =
    if to_bool (call "waits_for_answer" [ d; int i ]) then begin
      ignore (take items (option "withdraw" [ d; int i ]));
      give_up i
    end
  in
  let worker i =
    let round n =
      let item = (100 * i) + n in
      if n mod 3 <> i then begin
        add items item;
        ignore (call "push" [ d; int i; int item ])
      end;
      if not (take items (option "pop" [ d; int i ])) then
        let victim = (i + 1 + (n mod 2)) mod workers in
        ignore (take items (option "steal" [ d; int i; int victim ]))
    in
    fun () ->
      repeat 6 round ();
      give_up i;
      (* From now on the worker only answers requests. *)
      ignore (call "block" [ d; int i ])
  in
  let check () =
    for i = 0 to workers - 1 do
      take_all items (fun () -> option "pop" [ d; int i ])
    done;
    check_items items
  in
  (List.init workers worker, check)

(* {1 Hubs}

   The mutable field [last_worker] holds a task's number. No hub uses the
   field. *)

let hub_size = 16
let new_ = int 0
let yield = int 2

let hub name m =
  let workers = 3 in
  let make = Machine.call m ("hub_" ^ name ^ "_make") [ int workers ] in
  let field i args = Machine.apply m (component i hub_size make) args in
  let items = items () in
  let task n =
    let task = Machine.call m "hub_hub_task" [ native (fun _ -> unit) ] in
    ignore (Machine.call m "test_name_task" [ task; int n ]);
    task
  in
  let name_of task = to_int (Machine.call m "test_task_name" [ task ]) in
  let found v = to_option name_of v in
  let push i reason n =
    add items n;
    ignore (field 1 [ int i; reason; task n ])
  in
  let pop i = found (field 2 [ int i ]) in
  let steal i = found (field 4 [ int i ]) in
  let submit n =
    add items n;
    ignore (field 7 [ new_; task n ])
  in
  let worker i () =
    ignore (field 9 [ int i ]);
    repeat 5
      (fun n ->
        push i (if n = 3 then yield else new_) ((100 * i) + n);
        if n mod 2 = 0 then
          if not (take items (pop i)) then ignore (take items (steal i)))
      ();
    ignore (take items (steal i));
    ignore (field 10 [ int i ])
  in
  let outside = repeat 4 (fun n -> submit (1000 + n)) in
  let check () =
    for i = 0 to workers - 1 do
      ignore (field 9 [ int i ]);
      for _ = 1 to 4 * 61 do
        ignore (take items (pop i))
      done;
      take_all items (fun () -> steal i);
      ignore (field 10 [ int i ])
    done;
    take_all items (fun () -> steal 0);
    check_items items
  in
  (outside :: List.init workers worker, check)
