external name : unit -> unit = "dromos_own_threads_name" [@@noalloc]
external name_back : unit -> unit = "dromos_own_threads_name_back" [@@noalloc]
external is_self : unit -> bool = "dromos_own_threads_is_self" [@@noalloc]
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

let is_own thread =
  match Platform.thread_name thread with
  | Some name -> name = "dromos"
  | None -> true (* the thread has ended *)

let others ~besides =
  let listed thread =
    match int_of_string_opt thread with
    | Some number -> List.mem number besides
    | None -> true
  in
  match Platform.threads () with
  | Some all -> List.exists (fun t -> not (listed t || is_own t)) all
  | None -> true
