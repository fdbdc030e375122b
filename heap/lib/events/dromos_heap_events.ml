open Runtime_events

type User.tag +=
  | Entangled
  | Publications
  | Pinned
  | Held
  | Heaps
  | Splits
  | Merges

let event name tag = User.register ("dromos-heap." ^ name) tag Type.int

let events =
  let open Dromos_heap in
  [
    (event "entangled" Entangled, fun s -> s.entangled);
    (event "publications" Publications, fun s -> s.publications);
    (event "pinned" Pinned, fun s -> s.pinned);
    (event "held" Held, fun s -> s.held);
    (event "heaps" Heaps, fun s -> s.heaps);
    (event "splits" Splits, fun s -> s.splits);
    (event "merges" Merges, fun s -> s.merges);
  ]

let emit () =
  let write s = List.iter (fun (event, of_) -> User.write event (of_ s)) in
  Option.iter (fun s -> write s events) (Dromos_heap.stats ())
