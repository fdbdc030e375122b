module Sched = Dromos.Sched
module Gang = Sched.Gang
module Parray = Sched.Parray

let check = Watch.check Alcotest.(array int)
let on workers f = Dromos.run ~workers (fun () -> Gang.run f)

(* Shapes: a random length and grain. *)
let rounds = 40

let each_round workers f =
  on workers (fun () ->
      let chance = Random.State.split Watch.chance in
      for _ = 1 to rounds do
        let n = Random.State.int chance 60 in
        let grain = 1 + Random.State.int chance 10 in
        f chance n grain
      done)

let like_stdlib workers () =
  each_round workers (fun chance n grain ->
      let a = Array.init n (fun _ -> Random.State.int chance 1000) in
      let t = Parray.of_array ~grain a in
      let prefix i = Array.fold_left ( + ) 7 (Array.sub a 0 (i + 1)) in
      let odd x = x land 1 = 1 in
      check "of_array" a (Parray.to_array t);
      check "tabulate" a
        (Parray.to_array (Parray.tabulate ~grain n (fun i -> a.(i))));
      check "get" a (Array.init n (Parray.get t));
      check "map" (Array.map succ a) (Parray.to_array (Parray.map succ t));
      check "scan" (Array.init n prefix)
        (Parray.to_array (Parray.scan ( + ) 7 t));
      check "filter"
        (Array.of_list (List.filter odd (Array.to_list a)))
        (Parray.to_array (Parray.filter odd t));
      let words = Parray.map string_of_int t in
      Watch.check Alcotest.string "reduce is in order"
        (Array.fold_left (fun s x -> s ^ string_of_int x) "#" a)
        (Parray.reduce ( ^ ) "#" words))

exception Bad of int

(* Some elements fail, others wait, yield or would wait for ever: the leftmost
   failure is raised, all elements to its left have run, and no element is still
   running. *)
let leftmost workers () =
  each_round workers (fun chance n grain ->
      let bad = Array.init n (fun _ -> Random.State.int chance 10 = 0) in
      let what = Array.init n (fun _ -> Random.State.int chance 4) in
      let ran = Array.init n (fun _ -> Atomic.make false) in
      let active = Atomic.make 0 in
      let first = List.find_opt (fun i -> bad.(i)) (List.init n Fun.id) in
      let right_of_failure i =
        match first with Some first -> i > first | None -> false
      in
      let element i =
        Atomic.incr active;
        Fun.protect ~finally:(fun () -> Atomic.decr active) @@ fun () ->
        Atomic.set ran.(i) true;
        (match what.(i) with
        | 0 -> Sched.yield ()
        | 1 -> Dromos.sleep 0.0002
        | 2 when right_of_failure i ->
            ignore (Dromos.Ivar.read (Dromos.Ivar.create ()))
        | _ -> ());
        if bad.(i) then raise (Bad i);
        i
      in
      (match Parray.tabulate ~grain n element with
      | t ->
          Watch.check Alcotest.bool "nothing failed" true (first = None);
          check "values" (Array.init n Fun.id) (Parray.to_array t)
      | exception Bad i ->
          Watch.check Alcotest.(option int) "the leftmost" first (Some i));
      Watch.check Alcotest.int "all have stopped" 0 (Atomic.get active);
      Array.iteri
        (fun i ran ->
          if not (right_of_failure i) then
            Watch.check Alcotest.bool "to its left: run" true (Atomic.get ran))
        ran)

let cancelled workers () =
  let active = Atomic.make 0 in
  on workers (fun () ->
      let element _ =
        Atomic.incr active;
        Fun.protect
          ~finally:(fun () -> Atomic.decr active)
          (fun () -> Dromos.Ivar.read (Dromos.Ivar.create ()))
      in
      match
        Dromos.timeout 0.02 (fun () -> Parray.tabulate ~grain:1 20 element)
      with
      | (_ : unit Parray.t) -> Alcotest.fail "it ended"
      | exception Dromos.Timeout ->
          Watch.check Alcotest.int "all have stopped" 0 (Atomic.get active))

let refused () =
  let raises text f =
    Alcotest.check_raises text (Invalid_argument text) (fun () ->
        ignore (f () : int Parray.t))
  in
  on 1 (fun () ->
      raises "Parray.tabulate: the length is negative" (fun () ->
          Parray.tabulate (-1) Fun.id);
      raises "Parray.of_array: ~grain:0, expected 1 or more" (fun () ->
          Parray.of_array ~grain:0 [||]));
  raises "Gang.future1: called outside Gang.run" (fun () ->
      Dromos.run (fun () -> Parray.tabulate ~grain:1 2 Fun.id))

let () =
  Watch.suite "parray" @@ fun () ->
  let both name f =
    List.map
      (fun n -> Watch.case (Printf.sprintf "%s, %d vprocs" name n) (f n))
      [ 1; 3 ]
  in
  Alcotest.run "parray"
    [
      ("values", both "like Stdlib" like_stdlib);
      ("exceptions", both "leftmost" leftmost);
      ("cancellation", both "cancelled" cancelled);
      ("errors", [ Watch.case "refused" refused ]);
    ]
