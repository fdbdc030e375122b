type entry =
  | Directory of string
  | File of { path : string; mode : int; content : string }
  | Console of string

let path = function Directory path | File { path; _ } | Console path -> path

(* Names and contents begin at multiples of four. *)
let pad b =
  while Buffer.length b land 3 <> 0 do
    Buffer.add_char b '\000'
  done

let add b ~number ~mode ~links ~device:(major, minor) name content =
  Buffer.add_string b "070701";
  List.iter
    (fun n -> Buffer.add_string b (Printf.sprintf "%08X" n))
    [
      number;
      mode;
      0;
      0;
      links;
      0;
      String.length content;
      0;
      0;
      major;
      minor;
      String.length name + 1;
      0;
    ];
  Buffer.add_string b name;
  Buffer.add_char b '\000';
  pad b;
  Buffer.add_string b content;
  pad b

let archive entries =
  let b = Buffer.create (1 lsl 20) in
  List.iteri
    (fun i entry ->
      let add = add b ~number:(i + 1) in
      match entry with
      | Directory name -> add ~mode:0o040755 ~links:2 ~device:(0, 0) name ""
      | File { path; mode; content } ->
          add ~mode:(0o100000 lor mode) ~links:1 ~device:(0, 0) path content
      | Console name -> add ~mode:0o020600 ~links:1 ~device:(5, 1) name "")
    entries;
  add b ~number:0 ~mode:0 ~links:1 ~device:(0, 0) "TRAILER!!!" "";
  Buffer.contents b

let with_parents entries =
  let seen = Hashtbl.create 16 in
  let rec parents name =
    match Filename.dirname name with
    | "." | "/" -> []
    | up when Hashtbl.mem seen up -> []
    | up ->
        Hashtbl.add seen up ();
        parents up @ [ Directory up ]
  in
  List.concat_map
    (fun entry ->
      let above = parents (path entry) in
      match entry with
      | Directory name when Hashtbl.mem seen name -> above
      | Directory name ->
          Hashtbl.add seen name ();
          above @ [ entry ]
      | File _ | Console _ -> above @ [ entry ])
    entries
