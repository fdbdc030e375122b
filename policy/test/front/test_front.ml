open Dromos_policy_syntax

let folder = "../../policies"

let shipped =
  Sys.readdir folder |> Array.to_list |> List.sort String.compare
  |> List.filter (fun name -> Filename.check_suffix name ".policy")
  |> List.map (Filename.concat folder)

let reads file () =
  match Parse.file file with
  | Ok _ -> ()
  | Error (source, fault) -> Alcotest.fail (Fault.to_string ~source fault)

let elaborates file () =
  match Dromos_policy_elaborate.Elaborate.file file with
  | Ok { warnings; _ } ->
      List.iter (fun w -> print_endline (Fault.to_string w)) warnings
  | Error (source, faults) ->
      Alcotest.fail
        (String.concat "\n" (List.map (Fault.to_string ~source) faults))

let () =
  Alcotest.run "policy front end"
    [
      ( "shipped policies are read",
        List.map
          (fun file -> Alcotest.test_case file `Quick (reads file))
          shipped );
      ( "and pass all checks",
        List.map
          (fun file -> Alcotest.test_case file `Quick (elaborates file))
          shipped );
    ]
