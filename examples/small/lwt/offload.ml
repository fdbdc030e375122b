(* Lwt serves, Dromos computes: the loop of Lwt goes on while workers compute,
   and each result comes back as a promise. *)

open Lwt.Syntax

let rec fib n =
  if n < 2 then n
  else
    let a, b = Dromos.both (fun () -> fib (n - 1)) (fun () -> fib (n - 2)) in
    a + b

let answer n =
  let* f = Dromos_lwt.offload (fun () -> fib n) in
  Lwt.return (Printf.sprintf "fib %d = %d" n f)

let read name =
  Dromos_lwt.offload ~blocking:true (fun () ->
      In_channel.with_open_bin name In_channel.input_all)

let () =
  Dromos_lwt.run (fun () ->
      let* answers = Lwt_list.map_p answer [ 10; 20; 25 ] in
      let* source = read Sys.executable_name in
      List.iter print_endline answers;
      if source <> "" then print_endline "a file was read meanwhile";
      Lwt.return_unit)
