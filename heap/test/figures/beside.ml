(* Runs [f] while a second domain waits. *)

let run f =
  let over = Atomic.make false in
  let rec wait () =
    if not (Atomic.get over) then begin
      Unix.sleepf 0.001;
      wait ()
    end
  in
  let other = Domain.spawn wait in
  let result = f () in
  Atomic.set over true;
  Domain.join other;
  result
