type t = { limit : int; mutable count : int }

let make limit = { limit; count = 0 }
let empty = [||]
let step t = t.count <- t.count + 1
let show t = t.count [@@untranslated "for people"]
