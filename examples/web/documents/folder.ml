let standard = Corpus.Stdlib_dir.path

let is_text name =
  List.exists (Filename.check_suffix name) [ ".ml"; ".mli"; ".txt"; ".md" ]

let read folder name =
  match Corpus.Text.read (Filename.concat folder name) with
  | Ok (Text (bytes, length)) ->
      let text = Bytes.sub_string bytes 0 length in
      if String.contains text '\000' then None
      else Some (Dromos_stdout.utf_8 name, Dromos_stdout.utf_8 text)
  | Ok Binary | Error _ -> None

let texts folder =
  match Sys.readdir folder with
  | exception Sys_error reason -> failwith reason
  | names ->
      Array.sort String.compare names;
      List.filter_map (read folder) (List.filter is_text (Array.to_list names))
