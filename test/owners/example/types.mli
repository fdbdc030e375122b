type t = {
  mutable count : int; [@owner Keeper]
  mutable unwritten : int; [@owner Keeper]
  mutable odd : int; [@owner keeper]
  mutable lost : int; [@owner Nowhere]
}

type event = Quiet | Loud of { mutable volume : int [@owner Keeper] }
type _ ext = ..
type _ ext += Extra : { mutable extra : int [@owner Keeper] } -> int ext
