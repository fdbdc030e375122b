(* Generated from proofs/clients/messages_client.ml by proofs/translate; do not edit. *)
From iris.heap_lang Require Import lang notation.
From dromos.lang Require Import prelude.
From dromos.base Require Import ivar_code queue_code.

(* message: a block of 0 number, 1 mutable content. *)

Definition clients_messages_client_open_ : val :=
  λ: "message",
    let: "content" := !na ("message" +ₗ #1) in
    ("message" +ₗ #1) <-na #0 ;;
    "content".

Definition clients_messages_client_receive : val :=
  rec: "receive" "queue" "next" "n" "sum" :=
    if: "n" < "next" then "sum"
    else
      match: base_queue_pop "queue" with
        InjL <> =>
          #() ;;
          "receive" "queue" "next" "n" "sum"
      | InjR "message" =>
          (if: ! ("message" +ₗ #0) = "next" then #() else stuck) ;;
          let: "content" := clients_messages_client_open_ "message" in
          "receive" "queue" ("next" + #1) "n" ("sum" + "content")
      end.

Definition clients_messages_client_send : val :=
  rec: "send" "queue" "next" "n" :=
    if: "next" ≤ "n" then
      (base_queue_push "queue" (block2 "next" (na_val "next")) ;;
       "send" "queue" ("next" + #1) "n")
    else #().

Definition clients_messages_client_await : val :=
  rec: "await" "cell" :=
    match: ! "cell" with
      InjL <> =>
        #() ;;
        "await" "cell"
    | InjR "answer" => "answer"
    end.

Definition clients_messages_client_answer_of : val :=
  λ: "ivar",
    let: "cell" := ref (InjLV #()) in
    match: base_ivar_wait "ivar" (λ: <> "answer", "cell" <- InjR "answer") with
      InjL <> => clients_messages_client_await "cell"
    | InjR "answer" => "answer"
    end.

Definition clients_messages_client_answer : val :=
  λ: "queue" "ivar" "n",
    let: "sum" := clients_messages_client_receive "queue" #1 "n" #0 in
    let: "first" := base_ivar_set #() "ivar" "sum" in
    if: "first" then #() else stuck.

Definition clients_messages_client_run : val :=
  λ: "n",
    let: "queue" := base_queue_create #() in
    let: "ivar" := base_ivar_create #() in
    let: "receiver" :=
      domain_spawn (λ: <>, clients_messages_client_answer "queue" "ivar" "n") in
    clients_messages_client_send "queue" #1 "n" ;;
    let: "sum" := clients_messages_client_answer_of "ivar" in
    domain_join "receiver" ;;
    "sum".
