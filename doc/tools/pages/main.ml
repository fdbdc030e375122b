(* main PROJECT FOLDER GUIDE..: writes the page of each guide, a file of Markdown, into
   the current folder, as NAME.mld. PROJECT is the file dune-project, which has the
   homepage; FOLDER is the current folder, from the repository's root. *)

open Guide_pages

let read file = In_channel.with_open_bin file In_channel.input_all

let homepage project =
  let start = "(homepage \"" in
  let line l =
    let n = String.length start in
    if String.starts_with ~prefix:start l then
      Some (String.sub l n (String.rindex l '"' - n))
    else None
  in
  match List.find_map line (String.split_on_char '\n' (read project)) with
  | Some address -> address
  | None -> failwith (project ^ " has no homepage")

let () =
  match Array.to_list Sys.argv with
  | _ :: project :: folder :: guides ->
      let site = { Page.homepage = homepage project; folder; guides } in
      List.iter
        (fun guide ->
          match Page.print site ~guide (Markdown.parse (read guide)) with
          | page ->
              Out_channel.with_open_bin
                (Page.name guide ^ ".mld")
                (fun oc -> output_string oc page)
          | exception Markdown.Fault (line, message) ->
              Printf.eprintf "%s/%s:%d: %s\n" folder guide line message;
              exit 1)
        guides
  | _ ->
      prerr_endline "usage: main PROJECT FOLDER GUIDE..";
      exit 2
