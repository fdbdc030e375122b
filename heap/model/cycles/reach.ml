open State
open Access

let reached s from =
  let mark = Array.make (Array.length s.objects + 1) false in
  let rec visit v =
    if v > 0 && not mark.(v) then begin
      mark.(v) <- true;
      Array.iter visit (obj s v).fields
    end
  in
  List.iter visit from;
  mark

let kept s =
  let roots = ref [] in
  let root place v =
    match place with
    | In _ | Last _ | Remembered _ -> ()
    | _ -> roots := v :: !roots
  in
  Places.iter root s;
  reached s !roots

(* A weak object not shared for good may still be published with its keys, so
   the keys count as reachable. The rounds find data whose keys are kept by
   further data. Young collections take the object of a remembered field for
   reachable, and this function agrees. *)
let kept_strongly s =
  let mark = Array.make (Array.length s.objects + 1) false in
  let key_kept v = v = nil || mark.(v) || not (undecided s v) in
  let holds o =
    if not o.weak then Array.to_list o.fields
    else
      let keys = List.map (Array.get o.fields) (keys o) in
      let strong key = not (shared o && undecided s key) in
      List.filter strong keys
      @
      if (not (pinned o)) || List.for_all key_kept keys then [ data_of o ]
      else []
  in
  let rec visit v =
    if v > 0 && not mark.(v) then begin
      mark.(v) <- true;
      List.iter visit (holds (obj s v))
    end
  in
  let root place v =
    match place with
    | In _ | Last _ | Remembered _ -> ()
    | Told _ when undecided s v -> ()
    | _ -> visit v
  in
  let count () = Array.fold_left (fun n b -> n + Bool.to_int b) 0 mark in
  let remembered (x : leaf) =
    List.iter (fun (v, f) -> visit (obj s v).fields.(f)) x.remembered
  in
  let rec rounds before =
    Places.iter root s;
    Array.iter remembered s.leaves;
    let again v o = if mark.(v + 1) then List.iter visit (holds o) in
    Array.iteri again s.objects;
    let now = count () in
    if now > before then rounds now
  in
  rounds 0;
  mark

let undoom s =
  if not (Array.exists (fun o -> o.doomed) s.objects) then s
  else
    let kept = kept_strongly s in
    let undoom i o = { o with doomed = o.doomed && not kept.(i + 1) } in
    { s with objects = Array.mapi undoom s.objects }
