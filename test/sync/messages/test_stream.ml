open Dromos_sync
open Party

let n = 300

(* Several tasks produce and the last closes; several consume to the end. *)
let to_the_end capacity together =
  let s = Stream.create capacity in
  let left = Atomic.make 3 in
  let produce k () =
    times n (fun i -> Stream.add s ((3 * i) + k));
    if Atomic.fetch_and_add left (-1) = 1 then Stream.close s
  in
  let got = Array.make 2 [] in
  let consume k () = Stream.iter (fun v -> got.(k) <- v :: got.(k)) s in
  together [ consume 0; produce 0; produce 1; consume 1; produce 2 ];
  ints "all, once"
    (List.init (3 * n) Fun.id)
    (List.sort compare (got.(0) @ got.(1)));
  Array.iter
    (fun got ->
      List.iter
        (fun k ->
          let mine = List.rev (List.filter (fun v -> v mod 3 = k) got) in
          ints "in order" (List.sort compare mine) mine)
        [ 0; 1; 2 ])
    got;
  ensure "ended" (Stream.next s = None)

let alone () =
  let s = Stream.create 2 in
  ensure "empty" (Stream.is_empty s && Stream.try_take s = None);
  ensure "room" (Stream.try_add s 1 && Stream.try_add s 2);
  ensure "full" (not (Stream.try_add s 3));
  equal "length" 2 (Stream.length s);
  equal "first" 1 (Stream.take s);
  Stream.close s;
  ensure "closed" (Stream.is_closed s);
  ensure "no more"
    (match Stream.add s 4 with () -> false | exception Stream.Closed -> true);
  ensure "the rest" (Event.sync (Stream.next_event s) = Some 2);
  ensure "the end" (Stream.next s = None);
  ensure "the end, as an event" (Event.sync (Stream.next_event s) = None);
  ensure "the end, without waiting" (Stream.try_take s = None);
  ensure "the end is an error"
    (match Stream.take s with _ -> false | exception Stream.Closed -> true);
  let late = Stream.create 0 in
  ensure "late"
    (match Stream.next ~timeout:0.001 late with
    | _ -> false
    | exception Event.Timeout -> true)

let sequences () =
  let s = Stream.of_seq (Seq.take 5 (Seq.ints 0)) in
  ints "to_seq" [ 0; 1; 2; 3; 4 ] (List.of_seq (Stream.to_seq s));
  ints "nothing left" [] (List.of_seq (Stream.to_seq s));
  let s = Stream.of_seq (List.to_seq [ 1; 2; 3 ]) in
  (match Stream.iter (fun v -> if v = 2 then raise Exit) s with
  | () -> Alcotest.fail "no exception"
  | exception Exit -> ());
  ensure "the others" (Stream.next s = Some 3);
  (* An exception of the function is not the end of the stream. *)
  let s = Stream.of_seq (List.to_seq [ 1; 2 ]) in
  ensure "its own Closed"
    (match Stream.iter (fun _ -> raise Stream.Closed) s with
    | () -> false
    | exception Stream.Closed -> true);
  ensure "and the rest" (Stream.next s = Some 2)

(* A sequence is forced no further than there is room. *)
let on_demand () =
  Dromos.run ~workers:1 (fun () ->
      let s = Stream.create 3 in
      let forced = ref 0 in
      let seq =
        Seq.map
          (fun i ->
            incr forced;
            i)
          (Seq.ints 0)
      in
      try
        Dromos.Scope.run (fun scope ->
            Dromos.Scope.fork scope (fun () -> Stream.add_seq s seq);
            times 10 (fun _ -> Dromos.yield ());
            equal "three that fit, and one that waits" 4 !forced;
            equal "first" 0 (Stream.take s);
            times 10 (fun _ -> Dromos.yield ());
            equal "one more" 5 !forced;
            Dromos.Scope.cancel scope)
      with Dromos.Cancelled -> equal "the one that waited" 3 (Stream.length s))

let cases =
  List.concat_map
    (fun capacity ->
      cases (Printf.sprintf "capacity %d" capacity) (to_the_end capacity))
    [ 0; 1; 7 ]
  @ [
      Watch.case "alone" alone;
      Watch.case "sequences" sequences;
      Watch.case "on demand" on_demand;
    ]
