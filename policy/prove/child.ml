external spawn :
  string array -> Unix.file_descr -> Unix.file_descr -> Unix.file_descr -> int
  = "dromos_child_spawn"

external error : int -> string = "dromos_child_error"

type t = {
  pid : int;
  input : Unix.file_descr;
  output : Unix.file_descr;
  errors : Unix.file_descr;
  guard : int;
  held : Unix.file_descr;
}

(* The guard reads the number of the group, then waits for the end of its
   input. *)
let guarding = "read -r group && read -r nothing; kill -s KILL -- \"-$group\""
let close fd = try Unix.close fd with Unix.Unix_error _ -> ()
let kill pid = try Unix.kill pid Sys.sigkill with Unix.Unix_error _ -> ()

let rec wait pid =
  match Unix.waitpid [] pid with
  | _ -> ()
  | exception Unix.Unix_error (EINTR, _, _) -> wait pid
  | exception Unix.Unix_error _ -> ()

let ended pid =
  kill pid;
  wait pid

let pipe () = Unix.pipe ~cloexec:true ()

let start_guard () =
  let wakes, held = pipe () in
  let nothing = Unix.openfile "/dev/null" [ O_RDWR; O_CLOEXEC ] 0 in
  let guard = spawn [| "/bin/sh"; "-c"; guarding |] wakes nothing nothing in
  close wakes;
  close nothing;
  if guard > 0 then Ok (guard, held)
  else begin
    close held;
    Error (error (-guard))
  end

let start command =
  match start_guard () with
  | Error said -> Error said
  | Ok (guard, held) ->
      let child_input, input = pipe () in
      let output, child_output = pipe () in
      let errors, child_errors = pipe () in
      let pid =
        spawn (Array.of_list command) child_input child_output child_errors
      in
      List.iter close [ child_input; child_output; child_errors ];
      if pid > 0 then begin
        let group = string_of_int pid ^ "\n" in
        ignore (Unix.write_substring held group 0 (String.length group));
        Ok { pid; input; output; errors; guard; held }
      end
      else begin
        ended guard;
        List.iter close [ input; output; errors; held ];
        Error (error (-pid))
      end

(* The guard is ended before [stop] waits for the program: after that wait the
   system may give the group's number to another group. *)
let stop t =
  kill (-t.pid);
  ended t.guard;
  ended t.pid;
  List.iter close [ t.input; t.output; t.errors; t.held ]
