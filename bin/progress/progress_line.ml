let may_draw fd =
  Unix.isatty fd
  && match Sys.getenv_opt "TERM" with None | Some "dumb" -> false | _ -> true

let terminal = ref (may_draw Unix.stderr)
let drawn () = !terminal

let first_line file =
  try In_channel.with_open_bin file In_channel.input_line
  with Sys_error _ -> None

(* MPICH's launcher has a process between itself and the program. *)
let launcher pid =
  let of_process name = first_line (Printf.sprintf "/proc/%d/%s" pid name) in
  let parent stat = Scanf.sscanf stat "%_d (%_[^)]) %_c %d" Fun.id in
  if of_process "comm" <> Some "hydra_pmi_proxy" then pid
  else Option.fold ~none:pid ~some:parent (of_process "stat")

let under_launcher () =
  let stderr = Printf.sprintf "/proc/%d/fd/2" (launcher (Unix.getppid ())) in
  match
    Unix.openfile stderr [ O_WRONLY; O_NOCTTY; O_CLOEXEC; O_NONBLOCK ] 0
  with
  | fd ->
      terminal := may_draw fd;
      Unix.close fd
  | exception Unix.Unix_error _ -> ()

let put s =
  if !terminal then
    ignore (Unix.write_substring Unix.stderr s 0 (String.length s) : int)

(* Wrapping (DECAWM) is off meanwhile, so that a long line does not become two
   lines. *)
let show format =
  Printf.ksprintf
    (fun line -> put ("\r\027[K\027[?7l" ^ line ^ "\027[?7h"))
    format

let clear () = put "\r\027[K"
