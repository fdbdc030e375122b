open Core

type state = Layout.state

let fragments = Machine.fragments

let place m s t =
  let l = Machine.layout m in
  let p = s.(Layout.where l t) in
  if p = Layout.nowhere then `New
  else if p < 0 then `Moving
  else `At (Layout.core_of l p, l.policy.states.(Layout.state_of l p))

let queue m s c st =
  let found = ref [] in
  Fragments.iter (fragments m) s c st.state_id (fun t -> found := t :: !found);
  List.rev !found

let current m s c =
  let l = Machine.layout m in
  let t = s.(Layout.head l c (Query.running l.policy).state_id) in
  if t = 0 then None else Some (t - 1)

let waiting m s c =
  let l = Machine.layout m in
  let states = l.policy.states in
  let rec any i =
    i < Array.length states
    && ((s.(Layout.head l c i) > 0 && states.(i).state_class = Ready)
       || any (i + 1))
  in
  any 0

let really m s c = Fragments.really (fragments m) s c
let synch m s c = Fragments.synch (fragments m) s c
let idle m s c = really m s c = 0
let overloaded m s c = really m s c > 1
let attribute m s a i = s.(Layout.word (Machine.layout m) a i)
let set_attribute m s a i v = s.(Layout.word (Machine.layout m) a i) <- v

(* {1 For people} *)

(* The parts of the text about a core: the threads of a state, or anything
   else. *)
type said = Holds of string * int list | Also of string

let said m s c =
  let l = Machine.layout m in
  let states =
    List.filter_map
      (fun st ->
        match queue m s c st with
        | _ when not (Query.runnable st) -> None
        | [] -> None
        | threads -> Some (Holds (st.state_name, threads)))
      (Array.to_list l.policy.states)
  in
  let set ghost name =
    if Layout.marked l s ghost c then [ Also name ] else []
  in
  let words =
    if synch m s c then []
    else
      [
        Also
          (Printf.sprintf "says cload %d, count %d"
             s.(Layout.cload l c)
             s.(Layout.count l c));
      ]
  in
  (if states = [] then [ Also "nothing" ] else states)
  @ words @ set Layout.blocked "B" @ set Layout.unblocked "U"

(* True if the threads of one core follow the threads of the core before, place
   by place. *)
let follows (_, a) (_, b) =
  List.compare_lengths a b = 0
  && List.for_all2
       (fun x y ->
         match (x, y) with
         | Also x, Also y -> x = y
         | Holds (x, threads), Holds (y, others) ->
             x = y
             && List.compare_lengths threads others = 0
             && List.for_all2
                  (fun t u -> u = t + List.length threads)
                  threads others
         | Also _, Holds _ | Holds _, Also _ -> false)
       a b

(* Shorter rows of cores are shown core by core. *)
let most_apart = 4

let show_cores (first, of_first) (last, of_last) =
  let thread t u =
    if t = u then Printf.sprintf "t%d" t else Printf.sprintf "t%d .. t%d" t u
  in
  let one x y =
    match (x, y) with
    | Holds (name, threads), Holds (_, others) ->
        name ^ " " ^ String.concat " " (List.map2 thread threads others)
    | Also text, _ | _, Also text -> text
  in
  let text = String.concat ", " (List.map2 one of_first of_last) in
  if first = last then Printf.sprintf "%d: %s" first text
  else Printf.sprintf "%d to %d: %s" first last text

let show m s =
  let apart run = List.map (fun core -> show_cores core core) run in
  let run cores =
    if List.length cores <= most_apart then apart cores
    else [ show_cores (List.hd cores) (List.nth cores (List.length cores - 1)) ]
  in
  List.init (Machine.layout m).topology.cores (fun c -> (c, said m s c))
  |> Numbers.runs ~next:follows |> List.concat_map run |> String.concat " | "

(* {1 Invariants} *)

exception Broken of string

let broken_if condition message =
  if condition then raise (Broken (Lazy.force message))

let once m s =
  let l = Machine.layout m in
  let seen = Array.make l.threads 0 in
  for c = 0 to l.topology.cores - 1 do
    Array.iter
      (fun st ->
        let length = ref 0 in
        Fragments.iter (fragments m) s c st.state_id (fun t ->
            incr length;
            broken_if (!length > l.threads)
              (lazy (Printf.sprintf "a queue of core %d has no end" c));
            seen.(t) <- seen.(t) + 1;
            broken_if
              (s.(Layout.where l t) <> Layout.place l c st.state_id)
              (lazy
                (Printf.sprintf "thread %d stands in %s of core %d by mistake" t
                   st.state_name c)));
        broken_if
          (st.container = Slot && !length > 1)
          (lazy (Printf.sprintf "core %d runs %d threads" c !length));
        broken_if
          (Query.displaced_to st <> None && !length > 1)
          (lazy
            (Printf.sprintf "%s of core %d holds %d threads" st.state_name c
               !length)))
      l.policy.states
  done;
  Array.iteri
    (fun t n ->
      let should =
        if Layout.in_structure l s.(Layout.where l t) then 1 else 0
      in
      broken_if (n <> should)
        (lazy (Printf.sprintf "thread %d stands in %d places" t n)))
    seen

(* The least and the greatest change of a core's load by one thread. A policy
   may give loads below 0. *)
let loads m s =
  let least = ref 0 and most = ref 1 in
  for t = 0 to (Machine.layout m).threads - 1 do
    let load = (fragments m).load s t in
    least := min !least load;
    most := max !most load
  done;
  (!least, !most)

let words m s c =
  let l = Machine.layout m in
  let within name word real (least, most) =
    broken_if
      (word < real + least || word > real + most)
      (lazy
        (Printf.sprintf "core %d says that %s is %d, and it is %d" c name word
           real))
  in
  within "count" s.(Layout.count l c) (really m s c) (0, 1);
  within "cload"
    s.(Layout.cload l c)
    (Fragments.real_load (fragments m) s c)
    (loads m s);
  Array.iter
    (fun st ->
      if Query.runnable st then
        within
          ("count of " ^ st.state_name)
          s.(Layout.count_in l c st.state_id)
          (Fragments.length (fragments m) s c st.state_id)
          (0, 1))
    l.policy.states;
  broken_if
    (s.(Layout.lock l c) = 0 && not (synch m s c))
    (lazy
      (Printf.sprintf
         "the words of core %d are outdated, and no handler is at work on it" c))

let at_rest m s =
  let l = Machine.layout m in
  let busy =
    List.exists (Machine.busy m s) (List.init (Machine.runners m) Fun.id)
  in
  if not busy then begin
    for t = 0 to l.threads - 1 do
      broken_if
        (s.(Layout.where l t) < 0)
        (lazy
          (Printf.sprintf "t%d is lost: it is in no queue, and on no core" t))
    done;
    for c = 0 to l.topology.cores - 1 do
      broken_if
        (s.(Layout.lock l c) <> 0)
        (lazy (Printf.sprintf "the lock of core %d was never released" c))
    done
  end

let broken m s =
  match
    once m s;
    for c = 0 to (Machine.layout m).topology.cores - 1 do
      words m s c
    done;
    at_rest m s
  with
  | () -> None
  | exception Broken message -> Some message
