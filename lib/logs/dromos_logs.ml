module Reporter = Dromos_service.Reporter

let src = Logs.Src.create "dromos" ~doc:"Reports of Dromos"

let pp_failure ppf (failure : Reporter.failure) =
  Format.pp_print_string ppf (Printexc.to_string failure.error)

let failure = Logs.Tag.def "dromos.failure" ~doc:"An exception" pp_failure

let level (report : Reporter.report) : Logs.level =
  match (report.about, report.level) with
  | Dump, _ -> App
  | _, Error -> Error
  | _, Warning -> Warning
  | _, Info -> Info

let tags (report : Reporter.report) =
  match report.about with
  | Failure f -> Logs.Tag.(empty |> add failure f)
  | Deadlock | Lost_fiber | Interrupted | Advice | Dump -> Logs.Tag.empty

let text (report : Reporter.report) =
  let prefix = "dromos: " and text = String.trim report.text in
  if String.starts_with ~prefix text then
    let n = String.length prefix in
    String.sub text n (String.length text - n)
  else text

let log report =
  Logs.msg ~src (level report) (fun m ->
      m ~tags:(tags report) "%s" (text report))

let install () = Reporter.set log
