(* Schedulers that do what they must not. *)

module Sched = Dromos.Sched
module Vproc = Sched.Vproc

let contains text part =
  let n = String.length part in
  let rec at i =
    i + n <= String.length text && (String.sub text i n = part || at (i + 1))
  in
  at 0

let says text parts =
  List.iter
    (fun part ->
      if not (contains text part) then
        Alcotest.failf "%S does not say %S" text part)
    parts

let workers = 1 + Random.State.int Watch.chance 3
let run f = Dromos.run ~workers f

(* A round robin that treats what yields by [preempt]. *)
let rec wrong preempt vproc =
  Sched.action ~name:"wrong" ~ready:(Vproc.enq_on vproc) (function
    | Sched.Stop -> dispatch preempt vproc
    | Preempt k -> preempt vproc k)

and dispatch preempt vproc = Sched.run (wrong preempt vproc) (Vproc.deq ())

let under preempt body =
  Sched.Attached.run ~name:"wrong"
    ~vprocs:[ Vproc.host () ]
    (dispatch preempt) body

let spawn ?name f = Vproc.enq (Sched.fiber ?name f)

(* {1 Forgotten} *)

let deadlock parts f =
  match run f with
  | () -> Alcotest.fail "nothing was raised"
  | exception Dromos.Deadlock text -> says text parts

let drops () =
  let cleaned = ref false in
  deadlock [ {|"victim" waits on its turn (wrong)|} ] (fun () ->
      under
        (fun vproc _ -> dispatch (fun _ _ -> assert false) vproc)
        (fun () ->
          spawn ~name:"victim" (fun () ->
              Fun.protect Sched.yield ~finally:(fun () -> cleaned := true))));
  Alcotest.(check bool) "its clean-up code has run" true !cleaned

let () =
  Watch.suite "misuse" @@ fun () ->
  Alcotest.run "misuse"
    [ ("forgotten", [ Watch.case ~limit:10. "a fiber is dropped" drops ]) ]
