(* The part of lib/sync that the copies of lib/fiber's sources see. *)

module Dromos_sync = struct
  module Author = struct
    module Once = Sync_traced.Once
  end
end
