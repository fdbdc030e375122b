(* A fold over a file: the number of times each word occurs. *)

let words line = List.filter (( <> ) "") (String.split_on_char ' ' line)

let () =
  Dromos.run (fun () ->
      (* Reading blocks a thread; [blocking] keeps the worker free. *)
      let lines =
        Dromos.blocking (fun () ->
            In_channel.with_open_text Sys.argv.(1) In_channel.input_lines)
      in
      let words = Array.of_list (Dromos.Par.List.concat_map words lines) in
      let counts = Dromos.Par.Array.count_by Fun.id words in
      Dromos.Par.Array.sort compare counts;
      Array.iter (fun (word, n) -> Printf.printf "%d %s\n" n word) counts)
