type 'b outcome = ('b, exn * Printexc.raw_backtrace) result

type 'b state =
  | Pending
  | Claimed
  | Waited of { mutable resume : unit Dromos_suspend.resumer }
  | Done of { outcome : 'b outcome }

type 'b t = 'b state Atomic.t

let create () = Atomic.make Pending
let claim t = Atomic.compare_and_set t Pending Claimed

let finish t outcome =
  match Atomic.exchange t (Done { outcome }) with
  | Waited { resume } -> ignore (resume (Ok ()))
  | Pending | Claimed | Done _ -> ()

let outcome t =
  match Atomic.get t with
  | Done { outcome } -> Some outcome
  | Pending | Claimed | Waited _ -> None

let rec block t resume =
  match Atomic.get t with
  | Done _ -> Some ()
  | (Pending | Claimed | Waited _) as state ->
      if Atomic.compare_and_set t state (Waited { resume }) then None
      else block t resume
