(* The part of events that the lazy value needs. *)

let guard f = f ()
let of_source source = source

let wrap source f =
  let finish = function Ok v -> f v | Error (e, _) -> raise e in
  Waiter.Branch (source, finish)

let never =
  {
    Waiter.attempt = (fun ~self:_ _ -> Waiter.Nothing);
    enlist = (fun _ -> ignore);
    reason = "never";
  }

(* A choice of several cells, of which only one can be served. *)
let choose branch =
  let _, result = Waiter.choose [| branch; wrap never Fun.id |] in
  result ()
