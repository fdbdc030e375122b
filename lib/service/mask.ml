external enter : unit -> unit = "dromos_mask_enter" [@@noalloc]
external leave : unit -> unit = "dromos_mask_leave" [@@noalloc]
external depth : unit -> int = "dromos_mask_depth" [@@noalloc]

let on () = depth () > 0

let protect f =
  enter ();
  match f () with
  | v ->
      leave ();
      v
  | exception e ->
      let bt = Printexc.get_raw_backtrace () in
      leave ();
      Printexc.raise_with_backtrace e bt
