(** The language of the translated code, in one import: the stuck expression and the
    cells of mutable fields ([cells]), blocks ([blocks]), arrays ([arrays]), threads
    ([spawn]), and free choice ([choice]). *)
From dromos.lang Require Export cells blocks arrays spawn choice.
