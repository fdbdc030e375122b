type cell = { structure : Structures.t; a : Party.kind; b : Party.kind }

type verdict =
  | Passed
  | Wrong of { scenario : string; text : string }
  | Hung of { scenario : string; text : string }

type played = { cell : cell; verdict : verdict; seconds : float }

let limit =
  match Option.bind (Sys.getenv_opt "MATRIX_LIMIT") float_of_string_opt with
  | Some limit -> limit
  | None -> 40.

let name { structure; a; b } =
  String.concat "," [ structure.name; a.kind; b.kind ]

let rec pairs = function
  | [] -> []
  | kind :: rest ->
      List.map (fun other -> (kind, other)) (kind :: rest) @ pairs rest

let possible { structure; a; b } =
  (not structure.direct) || (a.direct && b.direct)

let matrix structures kinds =
  let cells (a, b) =
    List.filter possible
      (List.map (fun structure -> { structure; a; b }) structures)
  in
  List.concat_map cells (pairs kinds)

(* Chance depends on the seed and on the cell, not on earlier cells: a cell by
   itself draws the same numbers. *)
let chance seed cell what =
  Random.State.make [| seed; Hashtbl.hash (name cell); Hashtbl.hash what |]

(* {1 Parties} *)

let running : (string * Party.t) list ref = ref []
let stop (_, (party : Party.t)) = party.stop ()

let keep kinds =
  let needed (name, _) = List.exists (fun k -> k.Party.kind = name) kinds in
  let stay, go = List.partition needed !running in
  running := stay;
  List.iter stop go

let party seed cell (kind : Party.kind) =
  match List.assoc_opt kind.kind !running with
  | Some party -> party
  | None ->
      let party = kind.make (chance seed cell kind.kind) in
      running := (kind.kind, party) :: !running;
      party

(* {1 Cells} *)

let cell ~seed ~scale ~before cell =
  keep [ cell.a; cell.b ];
  let a = party seed cell cell.a in
  let b = party seed cell cell.b in
  let rec go = function
    | [] -> Passed
    | (scenario, f) :: rest -> (
        before scenario;
        let deadline = Unix.gettimeofday () +. limit in
        let chance = chance seed cell scenario in
        match f { Env.a; b; chance; scale; deadline } with
        | () -> go rest
        | exception Env.Wrong text -> Wrong { scenario; text }
        | exception Env.Hang text -> Hung { scenario; text })
  in
  let start = Unix.gettimeofday () in
  let verdict = go cell.structure.scenarios in
  (* The parties' runners may still have tasks of the scenario. *)
  if verdict <> Passed then running := [];
  { cell; verdict; seconds = Unix.gettimeofday () -. start }

let finish () = keep []

let repeat ~seed cell =
  Printf.sprintf "MATRIX_SEED=%d MATRIX_ONLY=%s make matrix" seed (name cell)

let describe ~seed { cell; verdict; seconds } =
  let line what scenario text =
    Printf.sprintf "%s: %S %s: %s\n  again: %s" (name cell) scenario what text
      (repeat ~seed cell)
  in
  match verdict with
  | Passed -> Printf.sprintf "%s: passed in %.2f s" (name cell) seconds
  | Wrong { scenario; text } -> line "went wrong" scenario text
  | Hung { scenario; text } ->
      line
        (Printf.sprintf "hangs after %.0f s" limit)
        scenario (text ^ " has not ended")
