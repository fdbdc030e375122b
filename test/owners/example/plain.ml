type t = { mutable size : int }

module Inner = struct
  type t = { mutable depth : int }
end

(* The file owns the fields of the modules inside. *)
let make () = { size = 0 }
let deeper (t : Inner.t) = t.depth <- t.depth + 1
let grow t = t.size <- t.size + 1
