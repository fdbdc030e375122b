let now () = Int64.to_float (Mtime.to_uint64_ns (Mtime_clock.now ())) *. 1e-9
