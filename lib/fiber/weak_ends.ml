external settle : 'a -> unit = "dromos_weak_ends"
