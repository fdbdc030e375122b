let depth line =
  String.fold_left
    (fun n c -> match c with '{' -> n + 1 | '}' -> n - 1 | _ -> n)
    0 line

(* The line at which the text that begins at line [i] ends: [i], or the line
   that closes the braces opened by [i]. *)
let last lines i =
  let rec go j n =
    let n = n + depth lines.(j) in
    if n <= 0 || j + 1 = Array.length lines then j else go (j + 1) n
  in
  go i 0

let without lines i j =
  Array.append (Array.sub lines 0 i)
    (Array.sub lines (j + 1) (Array.length lines - j - 1))

let text lines = String.concat "\n" (Array.to_list lines)

let policy ?(tries = 400) ?(seconds = 60.) whole shows =
  let left = ref tries and until = Unix.gettimeofday () +. seconds in
  let asks lines =
    !left > 0
    && Unix.gettimeofday () < until
    && begin
         decr left;
         shows (text lines)
       end
  in
  (* Whole blocks first. The search starts again at the top as long as something
     was removed. *)
  let rec from lines i changed =
    if i >= Array.length lines then
      if changed then from lines 0 false else lines
    else
      let less = without lines i (last lines i) in
      if depth lines.(i) >= 0 && asks less then from less i true
      else from lines (i + 1) changed
  in
  text (from (Array.of_list (String.split_on_char '\n' whole)) 0 false)
