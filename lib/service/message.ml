let rec write text from =
  let left = String.length text - from in
  if left > 0 then
    match Unix.write_substring Unix.stderr text from left with
    | n -> write text (from + n)
    | exception Unix.Unix_error (EINTR, _, _) -> write text from
    | exception Unix.Unix_error _ -> ()

let print text = write text 0

let failure ~what ?runtime e bt =
  let runtime =
    match runtime with
    | None -> ""
    | Some name -> Printf.sprintf "runtime %S: " name
  in
  print
    (Printf.sprintf "dromos: %s%s raised %s\n%s" runtime what
       (Printexc.to_string e)
       (Printexc.raw_backtrace_to_string bt))
