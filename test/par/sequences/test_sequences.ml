(* Par.Seq: order, bounds, failures, and consumers that give up, on each hub. *)

module Par_seq = Dromos.Par.Seq

exception Boom of int

let ensure text ok = if not ok then failwith text

let everywhere f =
  List.iter
    (fun hub ->
      List.iter (fun workers -> Dromos.run ~workers ~hub f) [ 1; 2; 4 ])
    Dromos.Hub.all

(* A sequence with a counter of forced elements. *)
let counting forced n =
  Seq.map
    (fun i ->
      incr forced;
      i)
    (Seq.take n (Seq.ints 0))

let sometimes i = if i land 7 = 0 then Dromos.yield ()

let ordered () =
  everywhere (fun () ->
      List.iter
        (fun ahead ->
          let double i =
            sometimes i;
            2 * i
          in
          let seq = Seq.take 200 (Seq.ints 0) in
          let expected = List.init 200 (fun i -> 2 * i) in
          ensure "map" (Par_seq.map ?ahead double seq List.of_seq = expected);
          let even i =
            sometimes i;
            if i land 1 = 0 then Some i else None
          in
          ensure "filter_map"
            (Par_seq.filter_map ?ahead even seq List.of_seq
            = List.init 100 (fun i -> 2 * i));
          ensure "fold"
            (Par_seq.fold ?ahead ~map:double ~combine:(Fun.flip List.cons) ~init:[]
               seq
            = List.rev expected);
          let sum = Atomic.make 0 in
          Par_seq.iter ?ahead (fun i -> ignore (Atomic.fetch_and_add sum i)) seq;
          ensure "iter" (Atomic.get sum = 199 * 100);
          ensure "empty" (Par_seq.map ?ahead double Seq.empty List.of_seq = []))
        [ None; Some 1; Some 2; Some 50 ])

let bounded workers () =
  let forced = ref 0 and consumed = Atomic.make 0 and most = ref 0 in
  let seq =
    Seq.map
      (fun i ->
        incr forced;
        most := Int.max !most (!forced - Atomic.get consumed);
        i)
      (Seq.take 100_000 (Seq.ints 0))
  in
  let last = ref (-1) in
  Dromos.run ~workers (fun () ->
      Par_seq.map ~ahead:16 Fun.id seq
        (Seq.iter (fun i ->
             ensure "in order" (i = !last + 1);
             last := i;
             Atomic.incr consumed)));
  ensure "all" (!last = 99_999);
  ensure (Printf.sprintf "%d at most" !most) (!most <= 16)

let failures () =
  everywhere (fun () ->
      let seen = ref 0 and forced = ref 0 in
      let fails i =
        sometimes i;
        if i >= 100 then raise (Boom i) else i
      in
      (match
         Par_seq.map ~ahead:8 fails (counting forced max_int)
           (Seq.iter (fun _ -> incr seen))
       with
      | () -> ensure "no failure" false
      | exception Boom 100 -> ());
      ensure "all before" (!seen = 100);
      ensure "no more is forced" (!forced <= 108);
      (* The sequence fails. *)
      seen := 0;
      let broken =
        Seq.append (Seq.take 10 (Seq.ints 0)) (fun () -> raise (Boom 1))
      in
      (match Par_seq.map Fun.id broken (Seq.iter (fun _ -> incr seen)) with
      | () -> ensure "no failure" false
      | exception Boom 1 -> ());
      ensure "those before" (!seen = 10);
      (* The consumer handles a failure. *)
      let last = ref (-1) in
      let caught =
        Par_seq.map fails (Seq.ints 98) (fun results ->
            try
              Seq.iter (fun i -> last := i) results;
              false
            with Boom 100 -> true)
      in
      ensure "caught" (caught && !last = 99))

let gives_up () =
  everywhere (fun () ->
      let running = Atomic.make 0 in
      let waits i =
        if i < 20 then i
        else begin
          Atomic.incr running;
          Fun.protect
            (fun () -> Dromos.await (Dromos.Promise.create ()))
            ~finally:(fun () -> Atomic.decr running)
        end
      in
      let ten =
        Par_seq.map ~ahead:30 waits (Seq.ints 0) (fun results ->
            List.of_seq (Seq.take 10 results))
      in
      ensure "ten" (ten = List.init 10 Fun.id);
      ensure "all are over" (Atomic.get running = 0);
      (match
         Par_seq.map ~ahead:30 waits (Seq.ints 0)
           (Seq.iter (fun i -> if i = 15 then raise Exit))
       with
      | () -> ensure "no exception" false
      | exception Exit -> ());
      (* Cancelled from outside, during the wait for a result. *)
      (match
         Dromos.timeout 0.001 (fun () ->
             Par_seq.iter (fun i -> ignore (waits i)) (Seq.ints 0))
       with
      | () -> ensure "not cancelled" false
      | exception Dromos.Timeout -> ());
      ensure "all are over then" (Atomic.get running = 0))

(* A source that needs a result before it has the next element. *)
let loops () =
  everywhere (fun () ->
      let answers = Dromos.Stream.create max_int in
      Dromos.Stream.add answers 1;
      let seq = Seq.take 50 (Dromos.Stream.to_seq answers) in
      let last = ref 0 in
      Par_seq.map ~ahead:8 succ seq
        (Seq.iter (fun i ->
             last := i;
             Dromos.Stream.add answers i));
      ensure "went round" (!last = 51))

let misuse () =
  let invalid part f =
    match f () with
    | _ -> ensure part false
    | exception Invalid_argument text -> ensure text (Said.contains text part)
  in
  everywhere (fun () ->
      invalid "~ahead:0" (fun () ->
          Par_seq.map ~ahead:0 Fun.id Seq.empty List.of_seq);
      let escaped = Par_seq.map Fun.id (Seq.ints 0) Fun.id in
      invalid "after the end" (fun () ->
          ignore (escaped ());
          []);
      match
        Par_seq.map Fun.id (Seq.ints 0) (fun s ->
            ignore (s ());
            s ())
      with
      | _ -> ensure "forced twice" false
      | exception Seq.Forced_twice -> ());
  ensure "outside a run"
    (Par_seq.map succ (Seq.take 3 (Seq.ints 0)) List.of_seq = [ 1; 2; 3 ])

let () =
  Watch.suite "sequences" (fun () ->
      let case = Watch.case in
      Alcotest.run ~and_exit:false "sequences"
        [
          ( "Par.Seq",
            [
              case "in order" ordered;
              case "bounded, 1 worker" (bounded 1);
              case "bounded, 2 workers" (bounded 2);
              case "bounded, 4 workers" (bounded 4);
              case "failures" failures;
              case "consumers that give up" gives_up;
              case "a source that needs results" loops;
              case "misuse" misuse;
            ] );
        ])
