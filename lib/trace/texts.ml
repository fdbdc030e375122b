type t = { numbers : (string, int) Hashtbl.t; mutable last_first : string list }

let create () = { numbers = Hashtbl.create 64; last_first = [] }

let number t text =
  match Hashtbl.find_opt t.numbers text with
  | Some n -> n
  | None ->
      let n = Hashtbl.length t.numbers in
      Hashtbl.add t.numbers text n;
      t.last_first <- text :: t.last_first;
      n

let json t =
  Json.later (fun () -> Json.list Json.string (List.rev t.last_first))
