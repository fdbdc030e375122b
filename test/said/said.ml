let contains text part =
  let n = String.length part in
  let rec from i =
    i + n <= String.length text && (String.sub text i n = part || from (i + 1))
  in
  from 0

let on_stderr f =
  let name = Filename.temp_file "dromos" "stderr" in
  let file = Unix.openfile name [ O_RDWR; O_TRUNC ] 0o600 in
  flush stderr;
  let before = Unix.dup ~cloexec:true Unix.stderr in
  Unix.dup2 ~cloexec:false file Unix.stderr;
  let text () = In_channel.with_open_bin name In_channel.input_all in
  let back () =
    Unix.dup2 ~cloexec:false before Unix.stderr;
    List.iter Unix.close [ before; file ];
    Sys.remove name
  in
  Fun.protect ~finally:back (fun () ->
      f text;
      flush stderr;
      text ())
