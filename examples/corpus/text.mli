(** Reading files, telling text from binary, and cutting text into words.

    A {e word} starts with a letter (any byte above 127 counts as one, so UTF-8
    text is not torn apart) and goes on over letters, digits, ['_'] and ['\''].
    Case is ignored for ASCII letters. What starts with a digit is a number, not
    a word. A {e line} is a newline character, as for [wc]. *)

type content =
  | Text of Bytes.t * int  (** a buffer, and how many bytes of it count *)
  | Binary  (** there is a NUL byte in the first 8 KiB *)

val read : string -> (content, string) result
(** A file, as a whole if it is text; or the reason why it cannot be read. *)

val digest : Bytes.t -> int -> string

val cut : Bytes.t -> int -> target:int -> (int * int) array
(** Adjacent pieces [(from, until)] of about [target] bytes that cover the text
    and tear no word apart. *)

val words : Bytes.t -> int -> int -> Vocab.t -> Ints.t -> int
(** [words buffer from until vocab ids] appends the number of every word of the
    piece to [ids] and returns the number of lines. It lowers the case of the
    words in the buffer itself. *)

val hash : string -> int
(** The hash under which {!words} interns a word. *)
