(* Two blocks of two pieces. A run from the left goes through both, and others begin
   further right, as the iterations of a loop that other workers have taken. Every
   interleaving of the operations: each piece is claimed once, and every result is
   given once, in order. *)

open Dromos_model

let fail fmt = Printf.ksprintf failwith fmt
let in_block = 2

module Scenarios (Claims : Claims_traced.Claims_sig.S) = struct
  type world = {
    blocks : int list Claims.t array;
    times : int array; (* how often each piece was claimed *)
    mutable misuse : bool;
  }

  let world () =
    {
      blocks = Array.init 2 (fun _ -> Claims.create ());
      times = Array.make 4 0;
      misuse = false;
    }

  let place k = (k / in_block, k mod in_block)
  let took w k = w.times.(k) <- w.times.(k) + 1

  (* The pieces of a run that has come to piece [k]; [cheap]: whole blocks. *)
  let rec from ~cheap w k =
    if k = 4 then []
    else
      let b, j = place k in
      let claims = w.blocks.(b) in
      if j = 0 && cheap && Claims.pass_all claims then begin
        took w k;
        took w (k + 1);
        k :: (k + 1) :: from ~cheap w (k + in_block)
      end
      else if Claims.pass ~pieces:in_block claims j then begin
        took w k;
        k :: from ~cheap w (k + 1)
      end
      else
        match Claims.found claims j with
        | Nothing | Begun -> []
        | Over result ->
            Claims.appended claims j;
            result

  let run ~cheap w k () =
    let b, j = place k in
    try
      if Claims.begin_at ~pieces:in_block w.blocks.(b) j then begin
        took w k;
        let rest = from ~cheap w (k + 1) in
        Claims.over w.blocks.(b) j (k :: rest)
      end
    with Invalid_argument _ -> w.misuse <- true

  (* The loop calls every piece in the end. *)
  let each_once w () =
    for k = 0 to 3 do
      run ~cheap:false w k ()
    done;
    if w.misuse then fail "a run asks for a piece that is none";
    Array.iteri
      (fun k n -> if n <> 1 then fail "piece %d was claimed %d times" k n)
      w.times;
    let results = Array.fold_right Claims.results w.blocks [] in
    if List.concat results <> [ 0; 1; 2; 3 ] then fail "the results are wrong"

  let two ~cheap k () =
    let w = world () in
    ([ run ~cheap w 0; run ~cheap w k ], each_once w)

  let three ~cheap () =
    let w = world () in
    ([ run ~cheap w 0; run ~cheap w 1; run ~cheap w 2 ], each_once w)
end

module Shipped = Scenarios (Claims_traced.Par_claims)
module Grabbing = Scenarios (Claims_traced.Claims_grabbing)
module Splitting = Scenarios (Claims_traced.Claims_splitting)
module Hasty = Scenarios (Claims_traced.Claims_hasty)
module Doubling = Scenarios (Claims_traced.Claims_doubling)

let () =
  Alcotest.run "claims"
    [
      ( "model",
        [
          Explore.passes "beside" (Shipped.two ~cheap:false 1);
          Explore.passes "in the next block" (Shipped.two ~cheap:false 2);
          Explore.passes "beside, whole blocks" (Shipped.two ~cheap:true 1);
          Explore.passes "in the next block, whole blocks"
            (Shipped.two ~cheap:true 2);
          Explore.passes "at its end, whole blocks" (Shipped.two ~cheap:true 3);
          Explore.passes ~random:5_000 "three" (Shipped.three ~cheap:false);
          Explore.passes ~random:5_000 "three, whole blocks"
            (Shipped.three ~cheap:true);
        ] );
      ( "seeded bugs",
        [
          Explore.catches "a block taken without a look"
            (Grabbing.two ~cheap:true 2);
          Explore.catches "a block split twice" (Splitting.two ~cheap:true 2);
          Explore.catches "a piece claimed without a look"
            (Hasty.two ~cheap:false 1);
          Explore.catches "a result given twice" (Doubling.two ~cheap:false 1);
        ] );
    ]
