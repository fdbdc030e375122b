(* A policy with some texts replaced. *)

let read file = lazy (In_channel.with_open_text file In_channel.input_all)

let replaced text (from, into) =
  let rec at i =
    if i + String.length from > String.length text then
      Alcotest.failf "%s is not in the policy" from
    else if String.sub text i (String.length from) = from then i
    else at (i + 1)
  in
  let i = at 0 in
  let after = i + String.length from in
  String.sub text 0 i ^ into ^ String.sub text after (String.length text - after)

let policy text changes =
  let text = List.fold_left replaced (Lazy.force text) changes in
  let failed faults =
    Alcotest.fail
      (String.concat "\n"
         (List.map (Dromos_policy_syntax.Fault.to_string ~source:text) faults))
  in
  match Dromos_policy_syntax.Parse.string text with
  | Error fault -> failed [ fault ]
  | Ok ast -> (
      match Dromos_policy_elaborate.Elaborate.policy ast with
      | Error faults -> failed faults
      | Ok { policy; _ } -> policy)
