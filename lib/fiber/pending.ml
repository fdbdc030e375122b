type t = {
  count : int Atomic.t;
  waiter : unit Dromos_suspend.resumer option Atomic.t;
}

let create () = { count = Atomic.make 1; waiter = Atomic.make None }

let rec enter t =
  let n = Atomic.get t.count in
  n > 0 && (Atomic.compare_and_set t.count n (n + 1) || enter t)

(* Gives the resumer to the last part or to the body, never to both. *)
let take_waiter t = Atomic.exchange t.waiter None

let exit t =
  if Atomic.fetch_and_add t.count (-1) = 1 then
    match take_waiter t with
    | Some resume -> ignore (resume (Ok ()))
    | None -> ()

let body_over t = Atomic.fetch_and_add t.count (-1) > 1

(* The last part lowers the count and then looks for the waiter. The body stores
   the waiter and then reads the count. At least one of the two thus sees the
   other. *)
let block t resume =
  Atomic.set t.waiter (Some resume);
  if Atomic.get t.count > 0 then None
  else match take_waiter t with Some _ -> Some () | None -> None
