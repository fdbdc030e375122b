(** A policy as written: the parser makes this tree, the printer prints it, and
    the elaborator reads it. Nothing is resolved here: a name is a text, a type
    may be unknown, and [valid(t)] is a call like any other.

    Every part knows its place. Comments stand beside the tree, in the order of
    the source; the printer puts them back by their places. *)

open Dromos_policy_core

type place = Core.place
type name = { text : string; at : place }
type comment = { said : string;  (** with its delimiters *) said_at : place }

type ty = { ty : ty_desc; ty_at : place }
and ty_desc = Void | Simple of string | Set of string  (** [set<core>] *)

type key = { direction : Core.direction; by : name }

type order = key list
(** The empty list if the source gives no order. *)

type unary = Not | Minus

type binary =
  | Or
  | And
  | Bit_or
  | Bit_and
  | Eq
  | Ne
  | Lt
  | Le
  | Gt
  | Ge
  | In
  | Add
  | Sub
  | Mul
  | Div
  | Mod

type exp = { e : exp_desc; e_at : place }

and exp_desc =
  | Int of int
  | Bool of bool
  | Name of string
  | Self
  | Field of exp * name
  | First of exp * order
  | Call of name * exp list
  | Unary of unary * exp
  | Binary of binary * exp * exp
  | Choose of exp * exp * exp

type stmt = { s : stmt_desc; s_at : place }

and stmt_desc =
  | Declare of ty * name * exp option
  | Assign of exp * exp
  | Increase of exp * exp  (** [x += e] *)
  | Decrease of exp * exp
  | Increment of exp  (** [x++] *)
  | Decrement of exp
  | Move of exp * exp  (** [t => c.q] *)
  | If of exp * block * block option
  | Foreach of name * exp * order * block
  | Return of exp option
  | Break
  | Do of exp
  | Block of block

and block = { body : stmt list; closed : place  (** the end of the block *) }
(** A statement without braces is a block of one statement. *)

type parameter = { p_ty : ty; p_name : name }

type func = {
  result : ty;
  f_name : name;
  parameters : parameter list;
  f_body : block;
  f_at : place;
}

type declared = { system : bool; shared : bool; is_lazy : bool }

type variables = {
  how : declared;
  v_ty : ty;
  names : (name * exp option) list;  (** never empty *)
  v_at : place;
}
(** [system shared int a, b = 1;] *)

type 'a braced = { items : 'a list; closes : place }

type thread_state = {
  t_how : declared;
  state_class : Core.state_class;
  t_ty : ty option;
  t_name : name;
  t_order : order;
  t_attribute : (name * name) option;
      (** [: displaced = ready], instead of an order *)
  t_at : place;
}

type core_state = {
  c_system : bool;
  active : bool;  (** false for sleeping *)
  c_ty : ty;
  c_name : name;
  c_at : place;
}

type filter = {
  filter_params : parameter list;
  test : exp;
  passed : name;  (** [=> id] *)
  filter_at : place;
}

type select = { pick : exp; picked : name; select_at : place }

type migrate = {
  migrate_params : parameter list;
  taking : block;
  enough : exp option;
  migrate_at : place;
}

type steal_core = {
  filter : filter;
  repeated : bool;  (** [do { ... }] *)
  select : select;
  migrate : migrate;
  after : stmt list;
  until : exp option;
  done_at : place;  (** the end of the [do] *)
}

type steal_group = {
  group_filter : filter;
  group_repeated : bool;
  group_select : select;
  group_after : stmt list;
  group_until : exp option;
  group_done_at : place;
}

type steal = {
  steal_params : parameter list;
  by_group : steal_group option;
  by_core : steal_core;
  steal_at : place;
}

type core_item =
  | Core_variables of variables
  | Core_threads of thread_state braced * place
  | Core_steal of steal

type event = {
  synchronized : bool;
  event : name;
  reaction : block;
  event_at : place;
}

type owner = Of_thread | Of_group | Of_domain

type declaration = { d : declaration_desc; d_at : place }

and declaration_desc =
  | Const of { system : bool; ty : ty option; name : name; value : exp }
  | Struct of name * variables braced
  | Enum of name * name list
  | Attributes of owner * variables braced
  | Threads of thread_state braced
  | Cores of core_state braced
  | Core of core_item braced
  | Global of variables
  | System_function of {
      system : bool;
      result : ty;
      name : name;
      parameters : parameter list;
    }
  | Steal of steal
  | Handler of { kind : name; event_name : name; events : event braced }
  | Interface of func braced
  | Function of func
  | Within of int
  | Exempt of { event : name; condition : exp; reason : string }

type t = {
  scheduler : name;
  declarations : declaration list;
  ends : place;  (** the last brace *)
  comments : comment list;
}
