(* What the front door's sources see of lib/sync in these copies. *)

module Dromos_sync = struct
  module Once = Sync_traced.Once
end
