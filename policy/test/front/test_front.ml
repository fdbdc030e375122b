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

let () =
  Alcotest.run "policy front end"
    [
      ( "shipped policies are read",
        List.map
          (fun file -> Alcotest.test_case file `Quick (reads file))
          shipped );
    ]
