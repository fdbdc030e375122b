(* An expensive element keeps no other element from the other worker. The
   element computes, without a poll point, until all others are over. If another
   element were out of the other worker's reach, the loop would not end before
   [patience]. The others take long enough to be leaves of their own: within a
   leaf, later elements wait for earlier ones. *)

let n = 24
let patience = 60.

(* Some 20 us or more. *)
let long () =
  for _ = 1 to 20_000 do
    ignore (Sys.opaque_identity 0)
  done

(* [run body] is a loop over the [n] elements, each given to [body]. *)
let beside run at () =
  let over = Atomic.make 0 in
  let rec compute until =
    if Atomic.get over < n - 1 then begin
      if Unix.gettimeofday () > until then
        Alcotest.failf "%d of %d others are over" (Atomic.get over) (n - 1);
      Domain.cpu_relax ();
      compute until
    end
  in
  let body i =
    if i = at then compute (Unix.gettimeofday () +. patience)
    else begin
      long ();
      Atomic.incr over
    end;
    i
  in
  Dromos.run ~workers:2 (fun () -> run body)

module Par = Dromos.Par

let elements = Array.init n Fun.id

let rec tree body lo hi =
  if hi - lo = 1 then ignore (body lo : int)
  else
    let mid = (lo + hi) / 2 in
    let (), () =
      Dromos.both (fun () -> tree body lo mid) (fun () -> tree body mid hi)
    in
    ()

let loops : (string * ((int -> int) -> unit)) list =
  let ran body i = ignore (body i : int) in
  let piece body l h =
    for i = l to h - 1 do
      ran body i
    done
  in
  let sum map = Par.map_reduce ~map ~combine:( + ) ~init:0 in
  let all body = Dromos.all (List.init n (fun i () -> body i)) in
  let tasks body =
    Dromos.Scope.run (fun scope ->
        List.init n (fun i -> Dromos.Scope.async scope (fun () -> body i))
        |> List.iter (fun task -> ran Dromos.await task))
  in
  [
    ("for_", fun body -> Par.for_ 0 n (ran body));
    ("for_, grain 1", fun body -> Par.for_ ~grain:1 0 n (ran body));
    ("for_chunks", fun body -> Par.for_chunks 0 n (piece body));
    ("for_chunks, grain 1", fun body -> Par.for_chunks ~grain:1 0 n (piece body));
    ("map_reduce", fun body -> ran (sum body 0) n);
    ("Array.map", fun body -> ignore (Par.Array.map body elements));
    ("Array.iter", fun body -> Par.Array.iter (ran body) elements);
    ( "Array.for_all",
      fun body ->
        ignore (Par.Array.for_all (fun i -> body i >= 0) elements : bool) );
    ("find", fun body -> ignore (Par.find 0 n (fun i -> body i < 0)));
    ("List.map", fun body -> ignore (Par.List.map body (Array.to_list elements)));
    ("all", fun body -> ignore (all body));
    ("both", fun body -> tree body 0 n);
    ("async", tasks);
  ]

let places = [ 0; 1; (n / 2) - 1; n / 2; n - 1 ]

let tests =
  List.map
    (fun (name, run) ->
      Alcotest.test_case name `Quick (fun () ->
          List.iter (fun at -> beside run at ()) places))
    loops
