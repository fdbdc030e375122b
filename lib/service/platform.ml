external linux : unit -> bool = "dromos_platform_linux" [@@noalloc]

let is_linux = linux ()

let threads () =
  if not is_linux then None
  else
    match Sys.readdir "/proc/self/task" with
    | all -> Some (Array.to_list all)
    | exception Sys_error _ -> None

let thread_name thread =
  match
    In_channel.with_open_bin
      (Printf.sprintf "/proc/self/task/%s/comm" thread)
      In_channel.input_line
  with
  | name -> name
  | exception Sys_error _ -> None
