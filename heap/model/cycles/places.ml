open State

let map_write f w =
  let target = f w.target in
  { w with target; v = f w.v }

let map_read f r = { r with from = f r.from }

let map_look f l =
  let whose = f l.whose in
  let key = f l.key in
  { l with whose; key; data = f l.data }

let map_activity f = function
  | Ready -> Ready
  | Writes w -> Writes (map_write f w)
  | Exchanges (r, w) -> Exchanges (r, map_write f w)
  | Replaced w -> Replaced (map_write f w)
  | Sweeps l -> Sweeps l
  | Reads (r, decided) -> Reads (map_read f r, decided)
  | Resumes (r, v) -> Resumes (r, f v)
  | Revives (r, v) ->
      let r = map_read f r in
      Revives (r, f v)
  | Clears { left; found; for_ } ->
      let left = List.map f left in
      let found = Option.map (map_look f) found in
      Clears { left; found; for_ = Option.map (map_read f) for_ }

let map_domain f d (x : domain) =
  let dls = f (Dls d) x.dls in
  let activity = map_activity (f (Busy d)) x.activity in
  let buffer = List.map (map_write (f (Busy d))) x.buffer in
  let greys = List.map (f (Busy d)) x.greys in
  { x with dls; activity; buffer; greys }

let map_leaf f l (x : leaf) =
  let regs = Array.map (f (Reg l)) x.regs in
  let told = f (Told l) x.told in
  let last = f (Last l) x.last in
  let remembered =
    List.map (fun (v, i) -> (f (Remembered l) v, i)) x.remembered
  in
  let todo = List.map (f (Record l)) x.todo in
  { x with regs; told; last; remembered; todo; record = f (Record l) x.record }

let map f s =
  for v = 1 to s.statics do
    ignore (f Static_at v)
  done;
  let leaves = Array.mapi (map_leaf f) s.leaves in
  let domains = Array.mapi (map_domain f) s.domains in
  let root = f Root s.root and told = f (Told (-1)) s.told in
  let last = f (Last (-1)) s.last in
  let pool = List.map (fun (v, i) -> (f Pool v, i)) s.pool in
  let inbox = List.map (f Pool) s.inbox in
  let revived = List.map (f Pool) s.revived in
  let ephemerons = List.map (f Pool) s.ephemerons in
  let looked = List.map (f Pool) s.looked in
  let walking = f Pool s.walking in
  let fields i o =
    { o with fields = Array.mapi (fun k v -> f (In (i + 1, k)) v) o.fields }
  in
  let objects = Array.mapi fields s.objects in
  let s = { s with leaves; domains; root; told; last; pool; inbox; objects } in
  { s with revived; ephemerons; looked; walking }

let iter f s = Pointers.iter map f s
