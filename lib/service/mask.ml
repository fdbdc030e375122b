external enter : unit -> unit = "dromos_mask_enter" [@@noalloc]
external leave : unit -> unit = "dromos_mask_leave" [@@noalloc]
external depth : unit -> int = "dromos_mask_depth" [@@noalloc]

let on () = depth () > 0

(* Newest first. *)
let put_off : (unit -> unit) list Atomic.t = Atomic.make []

let rec later f =
  let all = Atomic.get put_off in
  if not (Atomic.compare_and_set put_off all (f :: all)) then later f

let[@inline never] catch_up () =
  List.iter (fun f -> f ()) (List.rev (Atomic.exchange put_off []))

let[@inline] left () =
  leave ();
  if Atomic.get put_off != [] && not (on ()) then catch_up ()

let protect f =
  enter ();
  match f () with
  | v ->
      left ();
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      left ();
      Printexc.raise_with_backtrace e bt
