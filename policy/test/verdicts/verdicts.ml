(* Writes the page of verdicts. Searches have far more time than necessary, so
   that a busy machine finds the same. *)

open Dromos_policy_elaborate
open Dromos_policy_verdict

let head =
  "# The policies that are shipped\n\n\
   The verdicts of `dromos policy check` on each file of `policy/policies`; \
   written by\n\
   the tests, which fail when it is no longer true (`dune promote`). Each\n\
   proved property was searched for a violation as well. *Within k*: a state \
   that k\n\
   idle rounds of balancing mend does not count; *exempt*: the file lets every \
   ready\n\
   thread wait, and says why. The wrong policies are wrong on purpose, and say \
   so.\n"

let kernel =
  "\n\
   ## On the machine of the kernel\n\n\
   The verdicts of `dromos policy check --for sched_ext`: Linux says for each \
   thread on\n\
   which cores it may run, and keeps to it whatever the policy says\n\
   ([semantics](semantics.md#the-machine-of-the-kernel)).\n"

let written file =
  match Elaborate.file file with
  | Error _ -> failwith (file ^ " is no policy")
  | Ok { policy; _ } -> policy

let on_the_kernel file =
  match Dromos_policy_kernel_machine.Allowed.policy (written file) with
  | Ok policy -> policy
  | Error (_, why) -> failwith (file ^ ": " ^ why)

let verdict policy =
  let limit = 60. in
  (* Raises if a proved property is violated. *)
  ignore (Verdict.check ~limit ~seconds:0.1 ~second:0.1 policy : Verdict.report);
  Verdict.check ~limit ~seconds:8. ~second:0. policy

let () =
  let files = List.sort String.compare (List.tl (Array.to_list Sys.argv)) in
  print_endline head;
  let table made =
    print_endline Verdict.header;
    List.iter
      (fun file -> print_endline (Verdict.row (verdict (made file))))
      files
  in
  table written;
  print_endline kernel;
  table on_the_kernel
