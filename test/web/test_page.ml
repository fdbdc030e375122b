(* The page in headless Chromium, if installed: search, submit, watch,
   cancel. *)

open Served
open Lwt.Syntax

(* Run in the page: each step waits for the effect of the step before. *)
let script =
  {|<script type="module">
const seen = name => new Promise(done => {
  const look = () => { if (test(name)) { observer.disconnect(); done(); } };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { attributes: true });
  look();
});
const test = ([name, value]) => document.body.dataset[name] === value;
const press = id => document.getElementById(id).querySelector("button").click();
const text = id => document.getElementById(id).textContent;
const keep = (name, value) => document.body.setAttribute("data-" + name, value);

document.getElementById("q").value = "zebra";
press("search");
await seen(["hits", "1"]);
keep("hit", text("hits").includes("zebra crosses"));

document.getElementById("q").value = "nowhere_to_be_found";
press("search");
await seen(["hits", "0"]);
keep("none", text("hits"));

press("submit");
await seen(["state", "running"]);
keep("watched", text("state"));
document.getElementById("cancel").click();
await seen(["state", "cancelled"]);
keep("cancelled", text("state"));

await fetch("/documents?q=open");
press("submit");
await seen(["state", "finished"]);
keep("finished", text("state"));
keep("pairs", text("pairs"));
</script>|}

let test browser () =
  (* The first job waits until it is cancelled; then the gate is opened. *)
  let gate = gate () in
  let page = Web.Page.html ^ script in
  run ~gate ~page @@ fun t ->
  let opened =
    let* () =
      until "it is cancelled" (fun () ->
          (Web.Service.jobs t.service).cancelled = 1)
    in
    open_ gate;
    Lwt.return_unit
  in
  let dom = Lwt_preemptive.detach (Browser.visited browser) in
  let* dom = dom (Printf.sprintf "http://127.0.0.1:%d/" t.port) in
  let data name part =
    let got = Browser.data dom name in
    if not (Said.contains got part) then
      Alcotest.failf "data-%s is %S, without %S" name got part
  in
  data "hit" "true";
  data "none" "No document has all of these words: nowhere_to_be_found";
  data "watched" "Job 1 is running";
  data "cancelled" "Job 1 is cancelled";
  data "finished" "Job 2 is finished: 3 of 3 comparisons, 1 pairs";
  data "pairs" "75.0 %firstsecond";
  opened

let () =
  Watch.suite "web: page" @@ fun () ->
  Alcotest.run "web: page" ~and_exit:true
    (("none", [])
    :: Browser.cases (fun browser ->
           [
             Watch.case ~limit:120. "search, submit, watch, cancel"
               (test browser);
           ]))
