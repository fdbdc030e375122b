type t = {
  server : string;
  bench : string;
  workers : int;
  load : int;
  seconds : float;
  n : int;
}

let flag = "--measure-server"

let arguments t =
  [
    flag;
    t.server;
    t.bench;
    string_of_int t.workers;
    string_of_int t.load;
    (* Hexadecimal: the value read is exactly the value written. *)
    Printf.sprintf "%h" t.seconds;
    string_of_int t.n;
  ]

let of_arguments = function
  | [ f; server; bench; workers; load; seconds; n ] when f = flag -> (
      match
        ( int_of_string_opt workers,
          int_of_string_opt load,
          float_of_string_opt seconds,
          int_of_string_opt n )
      with
      | Some workers, Some load, Some seconds, Some n ->
          Some { server; bench; workers; load; seconds; n }
      | _ -> None)
  | _ -> None
