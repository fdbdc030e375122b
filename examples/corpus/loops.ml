type t = {
  name : string;
  init : 'a. int -> (int -> 'a) -> 'a array;
  reduce : 'a. int -> (int -> 'a) -> combine:('a -> 'a -> 'a) -> 'a -> 'a;
}

let dromos =
  {
    name = "Dromos";
    init = (fun n f -> Dromos.Par.Array.init ~grain:1 n f);
    reduce =
      (fun n map ~combine init ->
        Dromos.Par.map_reduce ~grain:1 0 n ~map ~combine ~init);
  }

let map t f a = t.init (Array.length a) (fun i -> f a.(i))

let iteri t f a =
  ignore (t.init (Array.length a) (fun i -> f i a.(i)) : unit array)
