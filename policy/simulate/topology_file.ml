open Dromos_policy_semantics

let sprintf = Printf.sprintf

let guarded f =
  match f () with t -> Ok t | exception Invalid_argument text -> Error text

let of_string text =
  match List.map int_of_string_opt (String.split_on_char '/' text) with
  | [ Some cores ] -> guarded (fun () -> Topology.flat cores)
  | [ Some cores; Some each ] when each > 0 ->
      guarded (fun () -> Topology.tree ~cores each)
  | _ ->
      Error
        (sprintf
           "`%s` is no machine: give a number of cores, or cores/cores of a \
            node, or a file"
           text)

let list what = function
  | `List all -> all
  | _ -> invalid_arg (what ^ " is no list")

let core = function `Int c -> c | _ -> invalid_arg "a core is no number"

(* The proofs suppose that the last domain of each core holds all cores. *)
let whole (t : Topology.t) =
  if t.domains = [||] then invalid_arg "there is no domain";
  let last = t.domains.(Array.length t.domains - 1) in
  List.iter
    (fun c ->
      if not (List.mem c last.domain_cores) then
        invalid_arg
          (sprintf
             "no domain holds all cores: the largest has no core %d; add one \
              whose groups hold them all"
             c))
    (Topology.all t)

let of_json json =
  match json with
  | `Assoc [ ("cores", `Int cores); ("domains", domains) ]
  | `Assoc [ ("domains", domains); ("cores", `Int cores) ] ->
      let group g =
        let members = List.map core (list "a group" g) in
        List.iter
          (fun c ->
            if c < 0 || c >= cores then
              invalid_arg (sprintf "core %d of %d" c cores))
          members;
        members
      in
      let t =
        Topology.make ~cores
          (List.map
             (fun d -> List.map group (list "a domain" d))
             (list "\"domains\"" domains))
      in
      whole t;
      t
  | _ -> invalid_arg "expected {\"cores\": .., \"domains\": ..}"

let of_file file =
  match of_json (Yojson.Safe.from_file file) with
  | t -> Ok t
  | exception Invalid_argument text -> Error (sprintf "%s: %s" file text)
  | exception Yojson.Json_error text ->
      Error (sprintf "%s: not JSON: %s" file text)
  | exception Sys_error text -> Error text
