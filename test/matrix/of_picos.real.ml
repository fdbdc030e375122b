open Matrix
open Picos

exception Stop

let hands = { Step.yield = Fiber.yield; sync = Dromos_sync.Event.sync }

(* Starts with cancellation forbidden, so that the fiber runs in any case, and
   reports its end. *)
let begin_ computation forms program finished () =
  let body fiber =
    let run () =
      Fiber.permit fiber (fun () ->
          Dromos_picos.wrap (fun () -> Step.run hands forms program))
    in
    match run () with v -> finished (Ok v) | exception e -> finished (Error e)
  in
  Fiber.spawn (Fiber.create ~forbid:true computation) body

let kind name run =
  let make _ =
    let mail = Mail.create () in
    let serve () =
      run (fun () ->
          Dromos_picos.wrap (fun () -> Mail.serve mail (fun f -> f ())))
    in
    let domain = Domain.spawn serve in
    let start forms program finished =
      let computation : unit Computation.t = Computation.create () in
      Mail.send mail (begin_ computation forms program finished);
      fun () -> Computation.cancel computation Stop (Printexc.get_callstack 0)
    in
    let stop () =
      Mail.close mail;
      Domain.join domain
    in
    let is_cancelled e = e = Stop in
    let direct = true and cancellable = true in
    { Party.name; direct; cancellable; is_cancelled; start = { start }; stop }
  in
  { Party.kind = name; direct = true; make }

let kinds =
  [
    kind "picos-fifo" (fun f -> Picos_mux_fifo.run f);
    kind "picos-multififo" (fun f -> Picos_mux_multififo.run_on ~n_domains:2 f);
  ]
