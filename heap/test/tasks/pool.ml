(* Each stolen branch begins in a chunk of its own, and leaves a few published words
   there. The free memory around the words must serve the next branches of any task. A
   part of the words has a finaliser, which must run once the words are unreachable. *)

let rounds = 600
let known = Array.init rounds (fun _ -> Atomic.make [])
let called = Atomic.make 0
let told round = round mod 7 = 0

let work round () =
  let words = [ string_of_int round; "known" ] in
  if told round then
    Gc.finalise_last (fun () -> ignore (Atomic.fetch_and_add called 1)) words;
  Atomic.set known.(round) words;
  Check.garbage 200

let taken () =
  for round = 0 to rounds - 1 do
    let begun = Atomic.make false in
    let wait () =
      while not (Atomic.get begun) do
        Check.garbage 10
      done;
      Check.garbage 200
    in
    let branch () =
      Atomic.set begun true;
      work round ()
    in
    ignore (Dromos.both wait branch : unit * unit)
  done

let left () =
  Array.iteri
    (fun round l ->
      Check.must "the values that a branch has left"
        (Atomic.get l = [ string_of_int round; "known" ]))
    known

let all_told () =
  Seq.length (Seq.filter told (Seq.init rounds Fun.id)) = Atomic.get called

(* Cycles free the words, as long as the program has other domains. *)
let forgotten () =
  Array.iter (fun l -> Atomic.set l []) known;
  let garbage = ref 0 in
  while (not (all_told ())) && !garbage < 3_000 do
    incr garbage;
    Atomic.set known.(0) (List.init 1_000 string_of_int)
  done

let () =
  let share = Array.length Sys.argv = 1 in
  Dromos.run ~workers:2 (fun () ->
      taken ();
      left ();
      if share then forgotten () else Gc.full_major ());
  if not share then left ();
  Array.iter (fun l -> Atomic.set l []) known;
  Gc.full_major ();
  Check.must (Printf.sprintf "told: %d" (Atomic.get called)) (all_told ());
  match Dromos_heap.stats () with
  | None -> Check.must "linked on the variant" false
  | Some s ->
      let bytes = s.most_held and splits = s.splits in
      Check.must (Printf.sprintf "taken: %d" splits) (splits > rounds / 2);
      if not share then
        Check.must
          (Printf.sprintf "held: %d" bytes)
          (bytes < int_of_string Sys.argv.(1) lsl 20);
      Printf.printf "PASS pool: %d MiB at most\n" (bytes lsr 20)
