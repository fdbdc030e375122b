let environment settings =
  let name binding = List.hd (String.split_on_char '=' binding) in
  let kept =
    List.filter
      (fun b -> not (List.mem_assoc (name b) settings))
      (Array.to_list (Unix.environment ()))
  in
  Array.of_list (kept @ List.map (fun (n, v) -> n ^ "=" ^ v) settings)

let opened file flags =
  Unix.openfile (if file = "" then "/dev/null" else file) flags 0o666

let run ~limit_s ~settings ~stdin ~stdout ~stderr argv =
  let argv =
    Array.of_list ([ "timeout"; "-k"; "5"; string_of_int limit_s ] @ argv)
  in
  let output = [ Unix.O_WRONLY; O_CREAT; O_TRUNC; O_APPEND ] in
  let input = opened stdin [ O_RDONLY ] in
  let out = opened stdout output in
  let err = if stderr = stdout then Unix.dup out else opened stderr output in
  let pid =
    Unix.create_process_env argv.(0) argv (environment settings) input out err
  in
  List.iter Unix.close [ input; out; err ];
  snd (Unix.waitpid [] pid)

let too_long = "takes too long"

(* The status of `timeout`: 124 after a kill at the time limit. *)
let describe = function
  | Unix.WEXITED 124 -> too_long
  | WEXITED n when n > 128 -> Printf.sprintf "signal %d" (n - 128)
  | WEXITED n -> Printf.sprintf "exit status %d" n
  | WSIGNALED s when s = Sys.sigsegv -> "segmentation fault"
  | WSIGNALED s when s = Sys.sigabrt -> "aborted"
  | WSIGNALED s | WSTOPPED s -> Printf.sprintf "signal %d of Sys" s
