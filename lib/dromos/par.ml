let for_ = Par_range.for_
let for_chunks = Par_range.for_chunks
let map_reduce = Par_reduce.map_reduce
let map_reduce_chunks = Par_reduce.map_reduce_chunks
let scan_chunks = Par_reduce.scan_chunks
let find_opt = Par_search.find_opt
let find_map = Par_search.find_map
let find_map_chunks ?grain = Par_search.find_map_chunks ?any:None ?grain
let exists = Par_search.exists
let exists_chunks = Par_search.exists_chunks
let for_all = Par_search.for_all
let for_all_chunks = Par_search.for_all_chunks

module Array = struct
  include Par_array
  include Par_group
end

module List = Par_list
module Floatarray = Par_floatarray
module Bigarray = Par_bigarray
module Seq = Par_seq
