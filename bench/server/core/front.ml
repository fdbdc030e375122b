type t = {
  name : string;
  about : string;
  parallel : bool;
  serve : workers:int -> ready:(int -> unit) -> unit;
  stall : workers:int -> n:int -> runs:int -> Gaps.t list;
}
