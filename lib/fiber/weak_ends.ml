external settle : unit -> unit = "dromos_weak_ends"
