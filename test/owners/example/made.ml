module Make () = struct
  type t = { mutable made : int }
end
