external enter : unit -> unit = "dromos_mask_enter" [@@noalloc]
external leave : unit -> unit = "dromos_mask_leave" [@@noalloc]
external depth : unit -> int = "dromos_mask_depth" [@@noalloc]
external thread : unit -> int = "dromos_mask_thread" [@@noalloc]

let on () = depth () > 0

(* The functions, each with the thread that calls it, newest first. *)
let put_off : (int * (unit -> unit)) list Atomic.t = Atomic.make []

let rec change f =
  let all = Atomic.get put_off in
  if not (Atomic.compare_and_set put_off all (f all)) then change f

let later f = change (List.cons (thread (), f))

let[@inline never] catch_up () =
  let own = thread () in
  let is_own (thread, _) = thread = own in
  let mine = List.filter is_own (Atomic.get put_off) in
  if mine <> [] then begin
    change (List.filter (fun entry -> not (is_own entry)));
    List.iter (fun (_, f) -> f ()) (List.rev mine)
  end

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
