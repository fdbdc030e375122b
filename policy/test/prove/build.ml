(* Small policies of the core language, made without the parser, for tests of
   the prover. The base policy has ULE's balancing, and puts new threads on the
   least loaded core. Every part can be replaced. *)

open Dromos_policy_core.Core

let line = ref 0

let place () =
  incr line;
  {
    file = "test.policy";
    line = !line;
    column = 0;
    last_line = !line;
    last_column = 1;
  }

let e it ty_of = { it; ty_of; at = place () }
let s what = { what; stands_at = place () }
let int i = e (Int_value i) Int
let op o a b ty = e (Operation (o, a, b)) ty

module O = struct
  let ( - ) a b = op Sub a b Int
  let ( * ) a b = op Mul a b Int
  let ( >= ) a b = op Ge a b Bool
  let ( > ) a b = op Gt a b Bool
  let ( = ) a b = op Eq a b Bool
  let ( <> ) a b = op Ne a b Bool
  let ( < ) a b = op Lt a b Bool
  let ( && ) a b = op And a b Bool
end

open O

let yes = e (Bool_value true) Bool
let local_count = ref 0

let fresh local_name local_ty =
  incr local_count;
  { local_id = !local_count; local_name; local_ty }

let local l = e (Local l) l.local_ty
let cload c = e (Cload c) Int
let count c = e (Runnable c) Int
let valid x = e (Valid x) Bool
let self = e Self Core
let target = e Target Thread

let attribute ?initial ?(system = false) id name owner ty =
  {
    id;
    name;
    owner;
    ty;
    initial;
    system;
    is_lazy = false;
    shared = false;
    place = place ();
  }

let priority =
  { enum_name = "priority"; members = [| "INTERRUPT"; "REGULAR" |] }

let prio = attribute 0 "prio" Of_thread (Enum priority)
let last_core = attribute 1 "last_core" Of_thread Core
let sharing = attribute 2 "sharing_level" Of_group Int ~system:true
let unit_load = attribute 3 "load" Of_thread Int ~initial:(int 1)

(* CFS's weights: nice 19 weighs 15. *)
let weight initial = attribute 3 "load" Of_thread Int ~initial
let read o a = e (Read (Some o, a)) a.ty

let state state_id state_name state_class container =
  {
    state_id;
    state_name;
    state_class;
    container;
    state_shared = true;
    state_place = place ();
  }

let current = state 0 "current" Running Slot
let ready = state 1 "ready" Ready (Queue [])
let blocked = state 2 "blocked" Blocked Nowhere
let terminated = state 3 "terminated" Terminated Nowhere
let lowest_cload = [ { direction = Lowest; by = By_cload } ]
let highest_cload = [ { direction = Highest; by = By_cload } ]
let all_cores = e All_cores Cores
let first ?(order = lowest_cload) among = e (First (among, order)) Core
let move thread core state = s (Move { thread; core; state })
let set l v = s (Set_local (l, v))
let if_ c a b = s (If (c, a, b))
let return v = s (Return (Some v))
let break () = s Break

let foreach ?(order = []) ?(ty = Core) among body =
  let each = fresh (match ty with Core -> "c" | Group -> "g" | _ -> "d") ty in
  s (Foreach { each; among; order; body = body (local each) })

let steal_for core = s (Steal_for { group = None; core })

let handler ?(is_synchronized = false) event handler_body =
  { event; is_synchronized; handler_body; handler_place = place () }

let func func_name parameters result body =
  {
    func_id = 0;
    func_name;
    parameters;
    result;
    func_body = body;
    effects = { observes = true; updates = false };
    func_place = place ();
  }

let filter admits =
  let src = fresh "src" Core and dst = fresh "dst" Core in
  {
    filter_source = src;
    filter_destination = dst;
    admits = admits (local src) (local dst);
  }

let steal ?(repeated = true) ?(until = Some (fun dst -> count dst <> int 0))
    ?enough ?(select = first ~order:highest_cload (e Filtered Cores)) ~admits
    ~takes () =
  let src = fresh "src" Core
  and dst = fresh "dst" Core
  and t = fresh "t" Thread in
  {
    by_group = None;
    by_core =
      {
        can_steal_core = filter admits;
        select_core = select;
        source = src;
        destination = dst;
        candidate = t;
        take =
          [
            if_
              (takes (local src) (local dst) (local t))
              [ move (local t) (local dst) ready ]
              [];
          ];
        enough = Option.map (fun f -> f (local src) (local dst)) enough;
        repeated;
        until = Option.map (fun f -> f (local dst)) until;
        steal_place = place ();
      };
  }

let margin k src dst = cload src - cload dst >= int k

let ule ?(filter = 2) ?(take = 2) ?repeated ?until ?enough () =
  steal ~admits:(margin filter)
    ~takes:(fun src dst _ -> margin take src dst)
    ?repeated ?until ?enough ()

let balancing =
  handler ~is_synchronized:true Balancing
    [ foreach all_cores (fun c -> [ steal_for c ]) ]

let least_loaded = [ move target (first all_cores) ready ]

let policy ?(attributes = [ unit_load ]) ?(balancing = balancing)
    ?(unblock = least_loaded) ?(new_ = least_loaded) ?(others = [])
    ?(relaxations = []) steal =
  {
    policy_name = "test";
    attributes = Array.of_list ([ prio; last_core; sharing ] @ attributes);
    states = [| current; ready; blocked; terminated |];
    functions = [||];
    steal;
    handlers =
      [
        balancing;
        handler New new_;
        handler Unblock unblock;
        handler Block [ move target self blocked ];
        handler Terminate [ move target self terminated ];
        handler Yield [ move target self ready ];
        handler Tick [];
        handler Schedule
          [
            move
              (e (First (e (Threads_in (self, ready)) Threads, [])) Thread)
              self current;
          ];
      ]
      @ others;
    interface = [];
    relaxations;
    local_count = !local_count;
    policy_place = place ();
  }
