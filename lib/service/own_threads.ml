external name : unit -> unit = "dromos_own_threads_name" [@@noalloc]
external name_back : unit -> unit = "dromos_own_threads_name_back" [@@noalloc]
external self : unit -> int = "dromos_own_threads_self" [@@noalloc]

let finally f restore =
  match f () with
  | v ->
      restore ();
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      restore ();
      Printexc.raise_with_backtrace e bt

let making f =
  name ();
  finally f name_back

let tasks = "/proc/self/task"

let is_own task =
  match
    In_channel.with_open_bin
      (Filename.concat (Filename.concat tasks task) "comm")
      In_channel.input_line
  with
  | Some "dromos" -> true
  | Some _ -> false
  | None | (exception Sys_error _) -> true (* it has ended *)

let others ~besides =
  let listed task =
    match int_of_string_opt task with
    | Some number -> List.mem number besides
    | None -> true
  in
  match Sys.readdir tasks with
  | all -> Array.exists (fun task -> not (listed task || is_own task)) all
  | exception Sys_error _ -> false
