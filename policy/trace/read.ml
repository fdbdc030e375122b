let of_text text =
  let trace = Text.read text in
  if Array.length trace.events > 0 then Ok trace
  else
    match trace.faults with
    | [] -> Error "it has no event of the scheduler (sched_switch and so on)"
    | { line; text } :: _ ->
        Error
          (Printf.sprintf "line %d: %s; it has no event of the scheduler" line
             text)

let text contents =
  let begins magic = String.starts_with ~prefix:magic contents in
  if begins Perf_data.magic then
    match Perf_data.read contents with
    | Ok trace when Array.length trace.events = 0 ->
        Error "it has no event of the scheduler: use perf sched record"
    | read -> read
  else if begins "2ELIFREP" then
    Error
      "it was recorded on a machine of the other byte order: give perf \
       script's text of it"
  else if List.exists begins [ "\x1f\x8b"; "\xfd7zXZ"; "\x28\xb5\x2f\xfd" ] then
    Error "it is compressed: unpack it first"
  else if begins "\x17\x08\x44tracing" then
    Error "it is trace-cmd's own: give what `trace-cmd report` prints of it"
  else of_text contents

let file path =
  match In_channel.with_open_bin path In_channel.input_all with
  | exception Sys_error why ->
      (* Some messages contain the name, as that of a missing file. *)
      if String.starts_with ~prefix:path why then Error why
      else Error (Printf.sprintf "%s: %s" path why)
  | contents -> Result.map_error (Printf.sprintf "%s: %s" path) (text contents)
