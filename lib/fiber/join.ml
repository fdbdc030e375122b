type 'b outcome = ('b, exn * Printexc.raw_backtrace) result

type 'b state =
  | Pending
  | Claimed
  | Waited of { mutable resume : unit Dromos_suspend.resumer }
  | Asked of { request : unit -> unit }
  | Done of { outcome : 'b outcome }
  | Kept

type 'b t = 'b state Atomic.t

let create () = Atomic.make Pending
let claim t = Atomic.compare_and_set t Pending Claimed

let over t state =
  match Atomic.exchange t state with
  | Waited { resume } -> ignore (resume (Ok ()))
  | Pending | Claimed | Asked _ | Done _ | Kept -> ()

let finish t outcome = over t (Done { outcome })
let finish_kept t = over t Kept

let is_over t =
  match Atomic.get t with
  | Done _ | Kept -> true
  | Pending | Claimed | Waited _ | Asked _ -> false

let wants t =
  match Atomic.get t with
  | Done _ | Kept | Asked _ -> true
  | Pending | Claimed | Waited _ -> false

let is_pending t =
  match Atomic.get t with
  | Pending -> true
  | Claimed | Waited _ | Asked _ | Done _ | Kept -> false

let outcome t =
  match Atomic.get t with
  | Done { outcome } -> Some outcome
  | Pending | Claimed | Waited _ | Asked _ | Kept -> None

let rec block t resume =
  match Atomic.get t with
  | Done _ | Kept | Asked _ -> Some ()
  | (Pending | Claimed | Waited _) as state ->
      if Atomic.compare_and_set t state (Waited { resume }) then None
      else block t resume

let rec ask t request =
  match Atomic.get t with
  | Pending | Done _ | Kept -> ()
  | Waited { resume } as state ->
      if Atomic.compare_and_set t state (Asked { request }) then
        ignore (resume (Ok ()))
      else ask t request
  | (Claimed | Asked _) as state ->
      if not (Atomic.compare_and_set t state (Asked { request })) then
        ask t request

let answer t =
  match Atomic.get t with
  | Asked { request } as state ->
      if Atomic.compare_and_set t state Claimed then Some request else None
  | Pending | Claimed | Waited _ | Done _ | Kept -> None
