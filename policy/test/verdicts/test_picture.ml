(* The page of a violation names cores and threads as the text does, and ends
   with the cores named in the text. *)

open Dromos_policy_explore
open Dromos_policy_verdict
module Elaborate = Dromos_policy_elaborate.Elaborate
module Timeline = Dromos_trace.Timeline

let trace_of name =
  match Elaborate.file (Printf.sprintf "../../policies/%s.policy" name) with
  | Error _ -> Alcotest.failf "%s is refused" name
  | Ok { policy; _ } -> (
      let violated (r : Verdict.result) =
        match r.answer with Violated { trace; _ } -> Some trace | _ -> None
      in
      match List.find_map violated (Verdict.check policy).results with
      | Some trace -> trace
      | None -> Alcotest.failf "%s is not violated" name)

let breach (t : Trace.t) =
  match t.fault with
  | Breach b -> b
  | Conservation _ | Stuck | Starves _ -> Alcotest.fail "it is no breach"

let the_end name () =
  let trace = trace_of name in
  let b = breach trace and page = Picture.of_trace trace in
  let lanes sort =
    List.filter_map
      (fun (f : Timeline.finding) ->
        if f.sort = sort then Some f.lane else None)
      page.findings
  in
  Alcotest.(check (list int)) "idle" b.idle (lanes Wrong);
  Alcotest.(check (list int)) "overloaded" b.overloaded (lanes Cause);
  let last = float (List.length trace.steps) in
  List.iter
    (fun (f : Timeline.finding) ->
      Alcotest.(check (float 0.)) "after the last step" last f.start)
    page.findings;
  let text = Format.asprintf "%a" Trace.pp trace in
  List.iter
    (fun (s : Timeline.span) ->
      if not (Said.contains text s.text) then
        Alcotest.failf "%s is not in %s" s.text text)
    page.spans

let drawn browser () =
  let trace = trace_of "threshold3" in
  let page = Timeline.to_html (Picture.of_trace trace) in
  let dom =
    Browser.rendered browser ~keys:[ "ArrowRight"; "ArrowRight" ] page
  in
  Alcotest.(check string) "two steps" "1" (Browser.data dom "step");
  let says what =
    if not (Said.contains dom what) then Alcotest.failf "%s is not said" what
  in
  List.iter (fun (s : Steps.t) -> says s.text) trace.steps;
  let jump = Browser.rendered browser ~keys:[ "n" ] page in
  let idle = List.hd (breach trace).idle in
  Alcotest.(check string)
    "n goes to the idle core"
    (Printf.sprintf "core %d: idle in the end" idle)
    (Browser.data jump "described")

let () =
  let case name f = Alcotest.test_case name `Quick f in
  Alcotest.run "picture"
    (( "the end",
       List.map
         (fun name -> case name (the_end name))
         [ "threshold3"; "imbalance"; "give_up" ] )
    :: Browser.cases (fun browser -> [ case "drawn" (drawn browser) ]))
