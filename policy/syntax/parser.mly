(* The grammar of policies: appendix A of Lepers et al., "Provable multicore
   schedulers with Ipanema" (EuroSys 2020), completed where the paper writes
   "...", with [conserve] and [exempt] added. doc/policy/reference.md shows the
   grammar to readers. The messages of syntax errors are in parser.messages. *)

%{
open Ast
open Dromos_policy_core

let place (first, last) = Places.of_positions first last
let name at text = { text; at = place at }
let exp at e = { e; e_at = place at }
let stmt at s = { s; s_at = place at }

(* The closing brace of a part, for the comments before the brace. *)
let closing (last : Lexing.position) =
  Places.of_positions { last with pos_cnum = last.pos_cnum - 1 } last

let block_of = function
  | { s = Block block; _ } -> block
  | s -> { body = [ s ]; closed = Places.after s.s_at }

(* Constants, functions and sets of cores are never shared or lazy. *)
let only_system at how =
  if how.shared || how.is_lazy then
    Fault.fail (place at)
      "only variables and states can be `shared` or `lazy`: leave it out here"
  else how.system

let once at so_far now =
  if now = so_far then
    Fault.fail (place at) "this is said already" ~hint:"leave it out"
  else now

let no_queue_of at (state : thread_state) owner =
  Fault.fail (place at)
    (Printf.sprintf
       "`%s` would be a queue of %s: each queue is kept under the lock of its \
        core, on which the proofs rest"
       state.t_name.text owner)
    ~hint:
      "declare it in `core`; place on the least loaded core and steal one by \
       one, or place on one core from which all steal"

let nothing = { system = false; shared = false; is_lazy = false }
%}

%token <string> IDENT "name"
%token <int> INT "42"
%token <string> STRING "\"text\""
%token <string> FORBIDDEN "while"
%token SCHEDULER "scheduler" CONST "const" TYPE "type" STRUCT "struct"
%token ENUM "enum" THREAD "thread" THREADS "threads" CORE "core" CORES "cores"
%token GROUP "group" DOMAIN "domain" SYSTEM "system" SHARED "shared"
%token LAZY "lazy" ACTIVE "active" SLEEPING "sleeping" RUNNING "RUNNING"
%token READY "READY" BLOCKED "BLOCKED" TERMINATED "TERMINATED" SET "set"
%token ORDER "order" HIGHEST "highest" LOWEST "lowest" STEAL "steal"
%token CAN_STEAL_GROUP "can_steal_group" SELECT_GROUP "select_group"
%token CAN_STEAL_CORE "can_steal_core" SELECT_CORE "select_core"
%token STEAL_THREAD "steal_thread" DO "do" UNTIL "until" HANDLER "handler"
%token ON "On" SYNCHRONIZED "synchronized" INTERFACE "interface"
%token FOREACH "foreach" IN "in" IF "if" ELSE "else" RETURN "return"
%token BREAK "break" FIRST "first" TRUE "true" FALSE "false" SELF "self"
%token VOID "void" INT_TYPE "int" BOOL_TYPE "bool" CONSERVE "conserve"
%token WITHIN "within" IDLE "idle" ROUNDS "rounds" EXEMPT "exempt" WHEN "when"
%token BECAUSE "because"
%token LBRACE "{" RBRACE "}" LPAREN "(" RPAREN ")" SEMI ";" COMMA "," DOT "."
%token COLON ":" QUESTION "?" ARROW "=>" ASSIGN "=" PLUS_ASSIGN "+="
%token MINUS_ASSIGN "-=" PLUSPLUS "++" MINUSMINUS "--" PLUS "+" MINUS "-"
%token STAR "*" SLASH "/" PERCENT "%" AND "&&" OR "||" BIT_AND "&" BIT_OR "|"
%token NOT "!" EQ "==" NE "!=" LT "<" LE "<=" GT ">" GE ">=" EOF

(* A dangling [else] or [until] belongs to the nearest statement. *)
%nonassoc below
%nonassoc ELSE UNTIL

%right QUESTION
%left OR
%left AND
%left BIT_OR
%left BIT_AND
%left EQ NE
%left LT LE GT GE IN
%left PLUS MINUS
%left STAR SLASH PERCENT

%start <Ast.t> policy

%%

policy:
  | "scheduler" scheduler = name "=" "{" declarations = list(declaration) "}" EOF
    { { scheduler; declarations; ends = closing $endpos($6); comments = [] } }

name:
  | text = IDENT { name $loc text }
  | "idle" { name $loc "idle" }
  | "rounds" { name $loc "rounds" }
  | "within" { name $loc "within" }
  | "when" { name $loc "when" }
  | "because" { name $loc "because" }

braced(item):
  | "{" items = list(item) "}" { { items; closes = closing $endpos } }

(* {1 Declarations} *)

declaration:
  | d = declaration_desc { { d; d_at = place $sloc } }

declaration_desc:
  | how = declared "const" ty = ioption(ty) name = name "=" value = exp ";"
    { Const { system = only_system $loc(how) how; ty; name; value } }
  | "type" name = name "=" "struct" fields = braced(variables) ioption(";")
    { Struct (name, fields) }
  | "type" name = name "=" "enum" "{" members = members "}" ioption(";")
    { Enum (name, members) }
  | owner = owner "=" attributes = braced(owned) ioption(";")
    {
      let known (at, item) =
        match item with
        | `Variables variables -> variables
        | `States [] ->
            Fault.fail (place at) "queues are a core's, and stand in `core`"
        | `States (state :: _) ->
            no_queue_of at state
              (match owner with
              | Of_thread -> "a thread"
              | Of_group -> "a group"
              | Of_domain -> "a domain")
      in
      let items = List.map known attributes.items in
      Attributes (owner, { attributes with items })
    }
  | state = thread_state { no_queue_of $sloc state "the whole machine" }
  | "threads" "=" states = braced(thread_state) ioption(";") { Threads states }
  | "cores" "=" states = braced(core_state) ioption(";") { Cores states }
  | "core" "=" items = braced(core_item) ioption(";") { Core items }
  | variables = variables { Global variables }
  | how = declared result = ty name = name "(" parameters = parameters ")" ";"
    {
      System_function
        { system = only_system $loc(how) how; result; name; parameters }
    }
  | steal = steal ioption(";") { Steal steal }
  | "handler" "(" kind = name event_name = name ")" events = braced(event)
    ioption(";")
    { Handler { kind; event_name; events } }
  | "interface" "=" functions = braced(func) ioption(";")
    { Interface functions }
  | func = func { Function func }
  | "conserve" "within" rounds = INT "idle" "rounds" ";" { Within rounds }
  | "exempt" event = name "when" "(" condition = exp ")" "because"
    reason = STRING ";"
    { Exempt { event; condition; reason } }

(* The grammar accepts queues here, and the action of a declaration refuses them
   with a message. *)
owned:
  | variables = variables { ($sloc, `Variables variables) }
  | state = thread_state { ($sloc, `States [ state ]) }
  | "threads" "=" states = braced(thread_state) ioption(";")
    { ($sloc, `States states.items) }

owner:
  | "thread" { Of_thread }
  | "group" { Of_group }
  | "domain" { Of_domain }

(* The paper writes enumerations without commas. *)
members:
  | member = name { [ member ] }
  | member = name ioption(",") members = members { member :: members }

variables:
  | how = declared v_ty = ty names = separated_nonempty_list(",", declarator) ";"
    { { how; v_ty; names; v_at = place $sloc } }

declarator:
  | name = field { (name, None) }
  | name = field "=" value = exp { (name, Some value) }

%inline declared:
  | { nothing }
  | how = modifiers { how }

modifiers:
  | how = modifier { how nothing }
  | so_far = modifiers how = modifier { once $loc(how) so_far (how so_far) }

modifier:
  | "system" { fun how -> { how with system = true } }
  | "shared" { fun how -> { how with shared = true } }
  | "lazy" { fun how -> { how with is_lazy = true } }

ty:
  | ty_desc = ty_desc { { ty = ty_desc; ty_at = place $sloc } }

ty_desc:
  | "void" { Void }
  | "int" { Simple "int" }
  | "bool" { Simple "bool" }
  | text = of_elements { Simple text }
  | name = name { Simple name.text }
  | "set" "<" text = of_elements ">" { Set text }

of_elements:
  | "thread" { "thread" }
  | "core" { "core" }
  | "group" { "group" }
  | "domain" { "domain" }

core_item:
  | variables = variables { Core_variables variables }
  | "threads" "=" states = braced(thread_state) ioption(";")
    { Core_threads (states, place $sloc) }
  | steal = steal ioption(";") { Core_steal steal }

thread_state:
  | t_how = declared state_class = state_class t_ty = ioption(state_ty)
    t_name = name also = ioption(state_also) ";"
    {
      let t_order, t_attribute =
        match also with
        | None -> ([], None)
        | Some (`Order order) -> (order, None)
        | Some (`Attribute attribute) -> ([], Some attribute)
      in
      {
        t_how;
        state_class;
        t_ty;
        t_name;
        t_order;
        t_attribute;
        t_at = place $sloc;
      }
    }

state_ty:
  | "thread" { { ty = Simple "thread"; ty_at = place $sloc } }
  | "set" "<" "thread" ">" { { ty = Set "thread"; ty_at = place $sloc } }

state_also:
  | ":" order = order { `Order order }
  | ":" attribute = name "=" value = name { `Attribute (attribute, value) }

state_class:
  | "RUNNING" { Core.Running }
  | "READY" { Core.Ready }
  | "BLOCKED" { Core.Blocked }
  | "TERMINATED" { Core.Terminated }

core_state:
  | how = declared active = activity c_ty = ty c_name = name ";"
    {
      {
        c_system = only_system $loc(how) how;
        active;
        c_ty;
        c_name;
        c_at = place $sloc;
      }
    }

activity:
  | "active" { true }
  | "sleeping" { false }

order:
  | "order" "=" "{" keys = keys "}" { keys }

keys:
  | key = key { [ key ] }
  | key = key ioption(",") keys = keys { key :: keys }

key:
  | "highest" by = name { { direction = Core.Highest; by } }
  | "lowest" by = name { { direction = Core.Lowest; by } }

parameters:
  | parameters = separated_list(",", parameter) { parameters }

parameter:
  | p_ty = ty p_name = name { { p_ty; p_name } }

func:
  | result = ty f_name = name "(" parameters = parameters ")" f_body = block
    { { result; f_name; parameters; f_body; f_at = place $sloc } }

(* {1 Stealing} *)

steal:
  | "steal" steal_params = loption(steal_params) "=" "{" steal = stealing "}"
    {
      let by_group, by_core = steal in
      { steal_params; by_group; by_core; steal_at = place $sloc }
    }

steal_params:
  | "(" parameters = parameters ")" { parameters }

stealing:
  | by_core = steal_core { (None, by_core) }
  | group_filter = group_filter group_select = group_select
    by_core = steal_core group_until = until
    {
      ( Some
          {
            group_filter;
            group_repeated = false;
            group_select;
            group_after = [];
            group_until;
            group_done_at = closing $endpos;
          },
        by_core )
    }
  | group_filter = group_filter "do" "{" group_select = group_select
    by_core = steal_core group_after = list(stmt) "}" group_until = until
    {
      ( Some
          {
            group_filter;
            group_repeated = true;
            group_select;
            group_after;
            group_until;
            group_done_at = closing $endpos($7);
          },
        by_core )
    }

steal_core:
  | filter = filter select = select migrate = migrate
    {
      {
        filter;
        repeated = false;
        select;
        migrate;
        after = [];
        until = None;
        done_at = closing $endpos;
      }
    }
  | filter = filter "do" "{" select = select migrate = migrate
    after = list(stmt) "}" until = until
    {
      {
        filter;
        repeated = true;
        select;
        migrate;
        after;
        until;
        done_at = closing $endpos($7);
      }
    }

group_filter:
  | "can_steal_group" filter_params = steal_params "{" test = exp "}" "=>"
    passed = name
    { { filter_params; test; passed; filter_at = place $sloc } }

group_select:
  | "select_group" "(" ")" "{" pick = exp "}" "=>" picked = name
    { { pick; picked; select_at = place $sloc } }

filter:
  | "can_steal_core" filter_params = steal_params "{" test = exp "}" "=>"
    passed = name
    { { filter_params; test; passed; filter_at = place $sloc } }

select:
  | "select_core" "(" ")" "{" pick = exp "}" "=>" picked = name
    { { pick; picked; select_at = place $sloc } }

migrate:
  | "steal_thread" migrate_params = steal_params taking = stmt enough = until
    {
      {
        migrate_params;
        taking = block_of taking;
        enough;
        migrate_at = place $sloc;
      }
    }

until:
  | { None } %prec below
  | "until" "(" condition = exp ")" { Some condition }

(* {1 Handlers} *)

event:
  | "On" synchronized = boption("synchronized") event = name reaction = stmt
    {
      {
        synchronized;
        event;
        reaction = block_of reaction;
        event_at = place $sloc;
      }
    }

(* {1 Statements} *)

block:
  | "{" body = list(stmt) "}" { { body; closed = closing $endpos } }

stmt:
  | s = stmt_desc { stmt $sloc s }

stmt_desc:
  | block = block { Block block }
  | ty = ty name = name ";" { Declare (ty, name, None) }
  | ty = ty name = name "=" value = exp ";" { Declare (ty, name, Some value) }
  | target = postfix "=" value = exp ";" { Assign (target, value) }
  | target = postfix "+=" value = exp ";" { Increase (target, value) }
  | target = postfix "-=" value = exp ";" { Decrease (target, value) }
  | target = postfix "++" ";" { Increment target }
  | target = postfix "--" ";" { Decrement target }
  | thread = postfix "=>" where = exp ";" { Move (thread, where) }
  | "if" "(" condition = exp ")" yes = stmt %prec below
    { If (condition, block_of yes, None) }
  | "if" "(" condition = exp ")" yes = stmt "else" no = stmt
    { If (condition, block_of yes, Some (block_of no)) }
  | "foreach" "(" each = name "in" among = exp order = loption(order) ")"
    body = stmt
    { Foreach (each, among, order, block_of body) }
  | "return" value = ioption(exp) ";" { Return value }
  | "break" ";" { Break }
  | call = postfix ";" { Do call }

(* {1 Expressions} *)

exp:
  | e = unary { e }
  | left = exp op = binary right = exp
    { exp $sloc (Binary (op, left, right)) }
  | condition = exp "?" yes = exp ":" no = exp %prec QUESTION
    { exp $sloc (Choose (condition, yes, no)) }

%inline binary:
  | "||" { Or }
  | "&&" { And }
  | "|" { Bit_or }
  | "&" { Bit_and }
  | "==" { Eq }
  | "!=" { Ne }
  | "<" { Lt }
  | "<=" { Le }
  | ">" { Gt }
  | ">=" { Ge }
  | "in" { In }
  | "+" { Add }
  | "-" { Sub }
  | "*" { Mul }
  | "/" { Div }
  | "%" { Mod }

unary:
  | e = postfix { e }
  | "!" e = unary { exp $sloc (Unary (Not, e)) }
  | "-" e = unary { exp $sloc (Unary (Minus, e)) }

postfix:
  | name = name { exp $sloc (Name name.text) }
  | value = INT { exp $sloc (Int value) }
  | "true" { exp $sloc (Bool true) }
  | "false" { exp $sloc (Bool false) }
  | "self" { exp $sloc Self }
  | "(" e = exp ")" { { e with e_at = place $sloc } }
  | e = postfix "." field = field { exp $sloc (Field (e, field)) }
  | "first" "(" among = exp order = loption(order) ")"
    { exp $sloc (First (among, order)) }
  | f = name "(" arguments = separated_list(",", exp) ")"
    { exp $sloc (Call (f, arguments)) }

(* [g.cores] is a field too, though `cores` is a keyword. *)
field:
  | name = name { name }
  | "cores" { name $loc "cores" }
  | "core" { name $loc "core" }
  | "group" { name $loc "group" }
  | "domain" { name $loc "domain" }
  | "threads" { name $loc "threads" }
