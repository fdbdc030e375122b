(* place SOURCE PREFIX: writes PREFIX_0.ml to PREFIX_7.ml, copies of SOURCE.

   Where a small function begins relative to the blocks of 16, 32 or 64 bytes in
   which a processor fetches and decodes can change its time by a fifth, and
   moves with any change anywhere before it in the program. The copies begin at
   all the places there are, so that a measurement of all of them depends on none.

   A function that does nothing but return takes 16 bytes on amd64, the unit in
   which ocamlopt aligns functions. Every copy has [fillers] of them, so that all
   are of one size: copy i begins i sizes after copy 0. With this many of the
   fillers before the code and the others after it, each of the four beginnings
   in a line of 64 bytes occurs twice in the eight, whatever the size is: for all
   s, the numbers i * s + before i take each value modulo 4 twice. *)

let before = [| 0; 0; 1; 1; 2; 2; 3; 3 |]
let fillers = 3
let filler oc where i = Printf.fprintf oc "let %s_%d x = x\n" where i

let write source prefix copy =
  let ahead = before.(copy) in
  Out_channel.with_open_bin (Printf.sprintf "%s_%d.ml" prefix copy) @@ fun oc ->
  for i = 1 to ahead do
    filler oc "before" i
  done;
  output_string oc source;
  for i = ahead + 1 to fillers do
    filler oc "after" i
  done

let () =
  match Sys.argv with
  | [| _; source; prefix |] ->
      let text = In_channel.with_open_bin source In_channel.input_all in
      Array.iteri (fun copy _ -> write text prefix copy) before
  | _ ->
      prerr_endline "place: a source and a prefix are expected";
      exit 2
