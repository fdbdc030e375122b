(* Arrays and loops. *)
let empty = [||]
let nothing () = Array.length empty
let zeros n = Array.make n 0
let squares n = Array.init n (fun i -> i * i)
let get a i = Array.get a i
let quick a i = Array.unsafe_get a (i land (Array.length a - 1))
let indexed a i = a.(i)

let exchange a i j =
  let x = a.(i) in
  a.(i) <- a.(j);
  Array.unsafe_set a j x

let fill a v =
  for i = 0 to Array.length a - 1 do
    Array.set a i v
  done

let clear a n =
  for i = n downto 1 do
    for j = 0 to i do
      a.(j) <- 0
    done
  done

let wait flag =
  while not (Atomic.get flag) do
    Domain.cpu_relax ()
  done
