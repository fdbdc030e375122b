(* The state that processes started in tasks inherit. *)

open With_run

(* The mask of a process, from Linux's status file. *)
let blocked status =
  let prefix = "SigBlk:" in
  String.split_on_char '\n' status
  |> List.find_opt (String.starts_with ~prefix)
  |> Option.map (fun line ->
         let n = String.length prefix in
         String.trim (String.sub line n (String.length line - n)))

let in_linux = Sys.file_exists "/proc/self/status"
let own () = In_channel.with_open_bin "/proc/self/status" In_channel.input_all

let by_create_process () =
  let from, to_ = Unix.pipe ~cloexec:true () in
  let status = [| "cat"; "/proc/self/status" |] in
  let pid = Unix.create_process "cat" status Unix.stdin to_ Unix.stderr in
  Unix.close to_;
  let text = In_channel.input_all (Unix.in_channel_of_descr from) in
  ignore (Unix.waitpid [] pid : int * Unix.process_status);
  Unix.close from;
  blocked text

let by_open_process () =
  let ic = Unix.open_process_in "cat /proc/self/status" in
  let text = In_channel.input_all ic in
  ignore (Unix.close_process_in ic : Unix.process_status);
  blocked text

let by_command () =
  let file = Filename.temp_file "dromos" "status" in
  Fun.protect
    ~finally:(fun () -> Sys.remove file)
    (fun () ->
      ignore (Sys.command ("cat /proc/self/status > " ^ file) : int);
      blocked (In_channel.with_open_bin file In_channel.input_all))

(* On a domain other than the caller's. *)
let elsewhere ~workers f =
  Dromos.run ~workers (fun () ->
      let runs = Atomic.make false in
      snd
        (Dromos.both
           (fun () -> spin_until "the branch" runs)
           (fun () ->
             Atomic.set runs true;
             f ())))

let expected = Option.value (blocked (own ())) ~default:""

let is what found =
  let found = Option.value found ~default:"nothing" in
  if in_linux && not (String.equal expected found) then
    raise (Wrong (Printf.sprintf "%s: %s, not %s" what found expected))

let inherit_ what spawn () =
  List.iter
    (fun workers -> is what (elsewhere ~workers spawn))
    [ 2; 4 ];
  is (what ^ " in blocking") (go (fun () -> Dromos.blocking spawn))
[@@ocamlformat "disable"]

(* Even the signals for which the program has a handler are unblocked. *)
let handled () =
  let old = Sys.signal Sys.sigterm (Signal_handle ignore) in
  Fun.protect
    ~finally:(fun () -> Sys.set_signal Sys.sigterm old)
    (inherit_ "create_process beside a handler" by_create_process)

let cases =
  [
    case "create_process" (inherit_ "create_process" by_create_process);
    case "open_process" (inherit_ "open_process" by_open_process);
    case "command" (inherit_ "command" by_command);
    case "handled" handled;
  ]
