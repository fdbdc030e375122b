open State

let map_task f i t =
  let pairs place = List.map (fun (v, n) -> (f (place i) v, n)) in
  let frame x = { x with closure = f (Frame i) x.closure } in
  {
    t with
    regs = Array.map (f (Reg i)) t.regs;
    frames = List.map frame t.frames;
    record = f (Record i) t.record;
    cell = f (Cell i) t.cell;
    lowered = List.map (f (Log i)) t.lowered;
    log = pairs (fun i -> Log i) t.log;
    remembered = pairs (fun i -> Remembered i) t.remembered;
  }

let map_goal f = function
  | Write w -> Write { w with target = f w.target; v = f w.v }
  | Offer o -> Offer { o with closure = f o.closure }
  | (Enter _ | Leave _) as g -> g

let map_phase f = function
  | Children v -> Children (f v)
  | Holes l -> Holes (List.map f l)
  | p -> p

let map_activity f = function
  | Ready -> Ready
  | Section x ->
      let goal = map_goal f x.goal in
      let stack = List.map f x.stack in
      Section { x with goal; stack; phase = map_phase f x.phase }
  | Expire e -> Expire { e with entries = List.map f e.entries }
  | Append a -> Append { a with lowered = List.map f a.lowered }
  | (Note _ | Bring_back _) as x -> x

let map_write f = function
  | Field (o, i, v) ->
      let o = f o in
      Field (o, i, f v)
  | Pin (o, n) -> Pin (f o, n)
  | Touch o -> Touch (f o)
  | (Storing _ | Unlock | Untouch _) as w -> w

let map_domain f d x =
  let dls = f (Dls d) x.dls in
  let buffer = List.map (map_write (f (Busy d))) x.buffer in
  { x with dls; buffer; activity = map_activity (f (Busy d)) x.activity }

let map f s =
  let static = f Static s.static in
  let tasks = Array.mapi (map_task f) s.tasks in
  let domains = Array.mapi (map_domain f) s.domains in
  let fields i o =
    { o with fields = Array.mapi (fun k v -> f (In (i + 1, k)) v) o.fields }
  in
  { s with static; tasks; domains; objects = Array.mapi fields s.objects }

let iter f s = Pointers.iter map f s
