(* The part of the matrix for [make test]: a pairwise cover, and a random
   sample. The whole: [make matrix]. *)

open Matrix

let seed =
  match Sys.getenv_opt "MATRIX_SEED" with
  | Some text when text <> "" -> int_of_string text
  | Some _ | None -> Watch.seed land 0xffffff

let cells =
  let all = Play.matrix Structures.all Parties.all in
  match Sys.getenv_opt "MATRIX_ONLY" with
  | Some names when names <> "" -> Cover.only names all
  | Some _ | None ->
      let chance = Random.State.make [| seed |] in
      let cover = Cover.pairwise chance all in
      let more = Cover.sample chance 20 all in
      List.filter (fun c -> List.memq c cover || List.memq c more) all

let test cell =
  let play () =
    let before scenario = Printf.printf "%s\n%!" scenario in
    let played = Play.cell ~seed ~scale:1 ~before cell in
    match played.verdict with
    | Passed -> ()
    | Wrong _ | Hung _ -> Alcotest.fail (Play.describe ~seed played)
  in
  Watch.case ~limit:240. (Play.name cell) play

let main () =
  Printf.printf "MATRIX_SEED=%d\n%!" seed;
  let last = Watch.case "the parties end" Play.finish in
  Alcotest.run "matrix" [ ("cells", List.map test cells); ("end", [ last ]) ]

let () =
  (* Tasks wait for long here, on purpose. *)
  if Sys.getenv_opt "DROMOS_DEADLOCK" = None then
    Unix.putenv "DROMOS_DEADLOCK" "ignore";
  Watch.suite "matrix" main
