(* Each definition breaks the rule of owners, except where a comment says not. *)

let plainly (t : Types.t) = t.count <- 1
let without_an_owner (t : Plain.t) = t.size <- 1

(* {1 Ways around} *)

module Alias = Plain

let by_an_alias (t : Alias.t) = t.size <- 1
let in_a_submodule (t : Plain.Inner.t) = t.depth <- 1

module Included = struct
  include Plain
end

let by_include (t : Included.t) = t.size <- 1

module type Copied = module type of Plain

let by_a_package (module P : Copied) =
  let grow (t : P.t) = t.size <- 1 in
  ignore grow

module By_functor (P : Copied) = struct
  let grow (t : P.t) = t.size <- 1
end

module Applied = Made.Make ()

let by_application (t : Applied.t) = t.made <- 1

let by_a_local_module (t : Types.t) =
  let module Local = struct
    let go () = t.count <- 1
  end in
  Local.go ()

let in_an_inline_record = function
  | Types.Loud l -> l.volume <- 1
  | Types.Quiet -> ()

let in_an_extension : type a. a Types.ext -> unit = function
  | Types.Extra e -> e.extra <- 1
  | _ -> ()

external size : Plain.t -> int -> unit = "%setfield0"

(* {1 Declared again} *)

type repeated = Plain.t = { mutable size : int }

let in_a_repeated_type t = t.size <- 1

type renamed = Plain.t = { mutable size : int [@owner Wrong] }

let in_a_renamed_type (t : renamed) = t.size <- 1

(* Right. *)
type rightly = Plain.t = { mutable size : int [@owner Plain] }

module type S = sig
  type t = { mutable size : int }
end

module By_signature (P : S) = struct
  let grow (t : P.t) = t.size <- 1
end

module By_parameter (P : sig
  type t = { mutable size : int }
end) =
struct
  let grow (t : P.t) = t.size <- 1
end

(* {1 Right} *)

type own = { mutable mine : int }

module Right = struct
  let write t = t.mine <- 1
end

let not_a_write (t : Types.t) = { t with count = 1 }
