module Traced_atomic = Dscheck.TracedAtomic

type scenario = unit -> (unit -> unit) list * (unit -> unit)
type outcome = { executions : int; failure : exn option }

type sleeping = {
  sleeper : Traced.sleeper;
  rest : (unit, unit) Effect.Deep.continuation;
}

let sleeping : sleeping list ref = ref []
let dropped = ref false
let asleep () = List.length !sleeping

let thread f () =
  Effect.Deep.match_with f ()
    {
      retc = Fun.id;
      exnc = (function Traced.Would_wait -> dropped := true | e -> raise e);
      effc =
        (fun (type a) (e : a Effect.t) ->
          match e with
          | Traced.Sleep sleeper ->
              Some
                (fun (rest : (a, unit) Effect.Deep.continuation) ->
                  sleeping := { sleeper; rest } :: !sleeping)
          | _ -> None);
    }

let rec resume_woken () =
  match List.partition (fun s -> s.sleeper.Traced.woken) !sleeping with
  | [], _ -> ()
  | woken :: others, unwoken ->
      sleeping := others @ unwoken;
      Effect.Deep.continue woken.rest ();
      resume_woken ()

exception Found of exn

let run ?random scenario =
  let executions = ref 0 in
  let once () =
    sleeping := [];
    dropped := false;
    let threads, check = scenario () in
    List.iter (fun f -> Traced_atomic.spawn (thread f)) threads;
    Traced_atomic.final (fun () ->
        if not !dropped then begin
          incr executions;
          try
            resume_woken ();
            check ()
          with e -> raise (Found e)
        end)
  in
  let impl = match random with Some n -> `Random n | None -> `Dpor_source in
  match Traced_atomic.trace ~impl once with
  | () -> { executions = !executions; failure = None }
  | exception Found e -> { executions = !executions; failure = Some e }

let passes ?random name scenario =
  Alcotest.test_case name `Quick (fun () ->
      let { executions; failure } = run ?random scenario in
      Printf.printf "%d executions\n%!" executions;
      match failure with
      | None -> if executions = 0 then Alcotest.fail "nothing was explored"
      | Some e ->
          Alcotest.failf "execution %d: %s" executions (Printexc.to_string e))

let catches ?random name scenario =
  Alcotest.test_case ("seeded bug: " ^ name) `Quick (fun () ->
      let { executions; failure } = run ?random scenario in
      match failure with
      | Some e ->
          Printf.printf "found in execution %d: %s\n%!" executions
            (Printexc.to_string e)
      | None -> Alcotest.failf "not found in %d executions" executions)
