type 'b outcome = ('b, exn * Printexc.raw_backtrace) result

type 'b state =
  | Pending
  | Claimed
  | Waited of { mutable resume : unit Dromos_suspend.resumer }
  | Done of { outcome : 'b outcome }
  | Kept

type 'b t = 'b state Atomic.t

let create () = Atomic.make Pending
let claim t = Atomic.compare_and_set t Pending Claimed

let over t state =
  match Atomic.exchange t state with
  | Waited { resume } -> ignore (resume (Ok ()))
  | Pending | Claimed | Done _ | Kept -> ()

let finish t outcome = over t (Done { outcome })
let finish_kept t = over t Kept

let is_over t =
  match Atomic.get t with
  | Done _ | Kept -> true
  | Pending | Claimed | Waited _ -> false

let is_pending t =
  match Atomic.get t with
  | Pending -> true
  | Claimed | Waited _ | Done _ | Kept -> false

let outcome t =
  match Atomic.get t with
  | Done { outcome } -> Some outcome
  | Pending | Claimed | Waited _ | Kept -> None

let rec block t resume =
  match Atomic.get t with
  | Done _ | Kept -> Some ()
  | (Pending | Claimed | Waited _) as state ->
      if Atomic.compare_and_set t state (Waited { resume }) then None
      else block t resume
