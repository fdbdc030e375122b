external bound : unit -> unit = "dromos_stack_cache_bound"
external kept : unit -> int = "dromos_stack_cache_kept" [@@noalloc]
