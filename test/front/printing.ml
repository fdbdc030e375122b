(* The output of tasks through Format is complete, in some order. *)

open With_run

(* The suite may be started from any folder. *)
let prints =
  let ( / ) = Filename.concat in
  Filename.dirname Sys.executable_name / "alone" / "prints.exe"

let output way workers =
  let arguments = [| prints; way; string_of_int workers |] in
  let from, to_ = Unix.pipe ~cloexec:true () in
  let pid =
    Unix.create_process prints arguments Unix.stdin to_
      (if way = "stderr" then to_ else Unix.stderr)
  in
  Unix.close to_;
  let text = In_channel.input_all (Unix.in_channel_of_descr from) in
  (match Unix.waitpid [] pid with
  | _, WEXITED 0 -> ()
  | _ -> raise (Wrong (way ^ ": the program failed")));
  String.split_on_char '\n' text |> List.filter (( <> ) "")

let numbers way text =
  let number line =
    match Scanf.sscanf line "line %d%!" Fun.id with
    | n -> n
    | exception _ -> raise (Wrong (Printf.sprintf "%s: %S" way line))
  in
  List.sort compare (List.map number text)

let each_number ?(n = 200) way text =
  if numbers way text <> List.init n Fun.id then
    raise (Wrong (Printf.sprintf "%s: %d lines" way (List.length text)))

let on_all_workers f = List.iter f [ 1; 2; 4 ]

let all_there ?n way () =
  on_all_workers (fun workers -> each_number ?n way (output way workers))

let in_order () =
  on_all_workers (fun workers ->
      match output "in order" workers with
      | "start" :: rest -> (
          match List.rev rest with
          | "end" :: lines -> each_number "in order" lines
          | _ -> raise (Wrong "the last line is not the last"))
      | _ -> raise (Wrong "the first line is not the first"))

let digit c = if '0' <= c && c <= '9' then c else ' '

(* All numbers are there, although lines may run together: in a box that is left
   open, and if threads of a domain, which share the domain's formatter,
   print. *)
let numbers_there way () =
  on_all_workers (fun workers ->
      String.map digit (String.concat " " (output way workers))
      |> String.split_on_char ' '
      |> List.filter_map int_of_string_opt
      |> List.map (Printf.sprintf "line %d")
      |> each_number way)

let around () =
  on_all_workers (fun workers ->
      if output "around" workers <> [ "a"; "b" ] then
        raise (Wrong "a run closes the box around it"))

let cases =
  [
    case "when run returns" (all_there "at once");
    case "when run raises" (all_there "raising");
    case "at the end of each run" (all_there ~n:400 "many runs");
    case "between what stands around it" in_order;
    case "on stderr" (all_there "stderr");
    case "in blocking" (numbers_there "blocking");
    case "beside another call" (numbers_there "beside");
    case "in a box left open" (numbers_there "box");
    case "the box around a run" around;
  ]
