(* Fibers yield while their forks are not offered yet. A resumed fiber offers the forks
   before any further step: also while a cycle ends in its heap, and while other threads
   of the domain run fibers. *)

let names k from = List.init k (fun i -> string_of_int (from + i))

(* Each leaf of the tree that yields leaves all forks above open. *)
let rec tree ~yields depth n =
  if depth = 0 then begin
    if n mod yields = 0 then Dromos.yield ();
    names 3 n
  end
  else
    let left () = tree ~yields (depth - 1) (2 * n)
    and right () = tree ~yields (depth - 1) ((2 * n) + 1) in
    let a, b = Dromos.both left right in
    let first n = n lsl (depth - 1) in
    Check.must "the left branch" (a = names 3 (first (2 * n)));
    Check.must "the right branch" (b = names 3 (first ((2 * n) + 1)));
    a

let forks () =
  Check.repeat 150 (fun () ->
      let run () = tree ~yields:1 9 1 in
      ignore (Dromos.run ~workers:8 run : string list))

(* Two runs in each domain, one per thread. *)
let threads () =
  let run n () =
    let work () = tree ~yields:8 6 n in
    ignore (Dromos.run ~workers:4 work : string list)
  in
  let domain () =
    let both = List.map (fun n -> Thread.create (run n) ()) [ 2; 3 ] in
    Check.garbage 1000;
    List.iter Thread.join both
  in
  Check.repeat 15 (fun () ->
      List.iter Domain.join (List.init 3 (fun _ -> Domain.spawn domain)))

let () =
  Check.case "offers of fibers that go on" forks;
  Check.case "among threads" threads
