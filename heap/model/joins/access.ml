open Pointers
open State

let nil = 0
let dead = -1
let frozen = -1
let expired = 255
let own s d = Array.length s.tasks - Array.length s.domains + d
let leaf s d = if s.domains.(d).task >= 0 then s.domains.(d).task else own s d
let is_own s t = t >= own s 0
let obj s v = s.objects.(v - 1)
let private_pin p = p = 0 || p = expired

let with_apart o pin =
  if o.apart > 0 && (private_pin pin || pin > o.apart) then o.apart else pin

let pin_of o = with_apart o o.pin
let with_obj s v o = { s with objects = set s.objects (v - 1) o }

let with_field s v f x =
  let o = obj s v in
  with_obj s v { o with fields = set o.fields f x }

let with_task s t x = { s with tasks = set s.tasks t x }

let with_reg s t r v =
  let x = s.tasks.(t) in
  with_task s t { x with regs = set x.regs r v }

let with_domain s d x = { s with domains = set s.domains d x }

let rec fork_of s t j =
  if t < 0 || j > s.tasks.(t).start then (t, j)
  else fork_of s s.tasks.(t).parent j
