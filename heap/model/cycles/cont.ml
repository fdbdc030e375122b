open Label
open State
open Access

type steps = (Label.t * State.t) list

let captured v (label, s) =
  let k = Array.length s.objects in
  (label, with_obj s k { (obj s k) with cont = true; fields = [| v |] })

(* {1 Resuming} *)

let take s d r k =
  let v = (obj s k).fields.(0) in
  let s = Memory.apply (become s d Ready) { target = k; field = 0; v = nil } in
  let s = with_reg s (leaf s d) r v in
  let broken =
    if s.walking = k then "a domain runs on a stack that is walked"
    else s.broken
  in
  if Memory.drained s d then
    say "takes o%'s stack, o%" [ k; v ] { s with broken }
  else []

(* Greys the values of a stack before the task runs on it, unless the stack has
   been walked. Under a lock. *)
let darken rules s d k =
  let o = obj s k in
  let greys = Rules.on Resumes_grey rules && not o.walked in
  let s = if greys then Mark.shade rules s d o.fields.(0) else s in
  Mark.walked (Mark.met s k) k

let resume rules s d r k =
  if k = nil || not (obj s k).cont then []
  else if (not (pinned (obj s k))) || not (watches s d) then take s d r k
  else if s.walking <> nil && Rules.on Locks_stacks rules then []
  else
    say "walks o%'s stack, to resume it" [ k ]
      (become (darken rules s d k) d (Resumes (r, k)))

(* {1 Tracing} *)

let walk s k =
  if (obj s k).walked then say "o%'s stack has been walked" [ k ] s
  else say "begins to walk o%'s stack" [ k ] { s with walking = k }

let walk_on rules s =
  let k = s.walking in
  if k = nil then []
  else
    let s = Mark.grey rules Mark.to_pool s (obj s k).fields.(0) in
    say "has walked o%'s stack" [ k ] { (Mark.walked s k) with walking = nil }
