let rec runs ~next = function
  | [] -> []
  | first :: rest -> (
      match runs ~next rest with
      | (head :: _ as run) :: others when next first head ->
          (first :: run) :: others
      | others -> [ first ] :: others)

let show numbers =
  let text = function
    | [] -> []
    | [ a; b ] -> [ string_of_int a; string_of_int b ]
    | a :: rest -> (
        match List.rev rest with
        | [] -> [ string_of_int a ]
        | last :: _ -> [ Printf.sprintf "%d to %d" a last ])
  in
  runs ~next:(fun a b -> b = a + 1) numbers
  |> List.concat_map text |> String.concat ", "
