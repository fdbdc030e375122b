type 'r claim =
  | Open
  | Passed (* by a run that began further left, or appended *)
  | Begun_here
  | Over_here of 'r

type 'r state =
  | Whole (* no run has come here *)
  | Taken (* by one run from the left *)
  | Split of 'r claim Atomic.t array

type 'r t = 'r state Atomic.t
type 'r found = Nothing | Begun | Over of 'r

let create () = Atomic.make Whole

let rec split ~pieces t =
  match Atomic.get t with
  | Split claims -> claims
  | Taken -> [||]
  | Whole ->
      let claims = Array.init pieces (fun _ -> Atomic.make Open) in
      if Atomic.compare_and_set t Whole (Split claims) then claims
      else split ~pieces t

let claim ~pieces t j as_ =
  let claims = split ~pieces t in
  j < Array.length claims && Atomic.compare_and_set claims.(j) Open as_

let begin_at ~pieces t j = claim ~pieces t j Begun_here
let pass ~pieces t j = claim ~pieces t j Passed
let pass_all t = Atomic.compare_and_set t Whole Taken

let at t j =
  match Atomic.get t with
  | Split claims -> claims.(j)
  | Whole | Taken -> invalid_arg "Par_claims: no run has begun in the block"

let over t j result = Atomic.set (at t j) (Over_here result)

let found t j =
  match Atomic.get (at t j) with
  | Open | Passed -> Nothing
  | Begun_here -> Begun
  | Over_here result -> Over result

let appended t j = Atomic.set (at t j) Passed

let results t rest =
  let add claim rest =
    match Atomic.get claim with
    | Over_here result -> result :: rest
    | Open | Passed | Begun_here -> rest
  in
  match Atomic.get t with
  | Whole | Taken -> rest
  | Split claims -> Array.fold_right add claims rest
