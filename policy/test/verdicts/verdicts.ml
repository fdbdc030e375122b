(* The page of verdicts. Searches have much more time than they need, so that a
   busy machine finds the same. *)

open Dromos_policy_elaborate
open Dromos_policy_verdict

let head =
  "# The policies that are shipped\n\n\
   What `dromos policy check` says of each file of `policy/policies`; written by\n\
   the tests, which fail when it is no longer true (`dune promote`). Whatever is\n\
   proved here was searched for a violation as well. The wrong ones are wrong on\n\
   purpose, and say so.\n"

let one file =
  match Elaborate.file file with
  | Error _ -> failwith (file ^ " is no policy")
  | Ok { policy; _ } ->
      let proved = Verdict.check ~seconds:0. ~limit:60. policy in
      let open_ = not (Verdict.all_proved proved) in
      Verdict.check ~anyway:true ~limit:60.
        ~seconds:(if open_ then 8. else 0.1)
        policy

let () =
  let files = List.sort String.compare (List.tl (Array.to_list Sys.argv)) in
  print_endline head;
  print_endline Verdict.header;
  List.iter (fun file -> print_endline (Verdict.row (one file))) files
