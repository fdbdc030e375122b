type t = string

let found =
  let installed name =
    Sys.command ("command -v " ^ name ^ " >/dev/null 2>&1") = 0
  in
  List.find_opt installed
    [ "chromium-headless-shell"; "chromium"; "google-chrome"; "chrome" ]

let pressing keys script =
  let press key =
    Printf.sprintf
      "document.dispatchEvent(new KeyboardEvent('keydown', {key: %S}));" key
  in
  "<script type=\"module\">"
  ^ String.concat "" (List.map press keys)
  ^ script ^ "</script>"

let visited browser address =
  let command =
    Printf.sprintf
      "timeout 60 %s --headless --no-sandbox --disable-gpu \
       --window-size=1400,900 --virtual-time-budget=5000 --dump-dom %s \
       2>/dev/null"
      browser (Filename.quote address)
  in
  let input = Unix.open_process_in command in
  let dom = In_channel.input_all input in
  ignore (Unix.close_process_in input : Unix.process_status);
  dom

let rendered browser ?(address = "") ?(keys = []) ?(script = "") html =
  let file = Filename.temp_file "page" ".html" in
  Out_channel.with_open_bin file (fun out ->
      output_string out html;
      output_string out (pressing keys script));
  let dom = visited browser ("file://" ^ file ^ address) in
  Sys.remove file;
  dom

let data dom name =
  let mark = Printf.sprintf " data-%s=\"" name in
  let rec find i =
    if i + String.length mark > String.length dom then
      failwith
        (Printf.sprintf "no data-%s in %s" name
           (String.sub dom 0 (Int.min 2000 (String.length dom))))
    else if String.sub dom i (String.length mark) = mark then
      i + String.length mark
    else find (i + 1)
  in
  let start = find 0 in
  String.sub dom start (String.index_from dom start '"' - start)

let cases make =
  match found with
  | None ->
      print_endline "no Chromium here: pages are not drawn";
      []
  | Some browser -> [ ("in a browser", make browser) ]
