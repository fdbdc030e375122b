(** Reading files, telling text from binary, and cutting text into words.

    A {e word} starts with a letter and continues with letters, digits, ['_']
    and ['\'']. Any byte above 127 counts as a letter, so that UTF-8 text is not
    torn apart. Case is ignored for ASCII letters. A token that starts with a
    digit is a number, not a word. A {e line} is a newline character, as for
    [wc]. *)

type content =
  | Text of Bytes.t * int
      (** a buffer, and the number of its bytes that count *)
  | Binary  (** a file with a NUL byte in the first 8 KiB *)

val read : string -> (content, string) result
(** A whole text file; or the reason why the file cannot be read. *)

val digest : Bytes.t -> int -> string

val cut : Bytes.t -> int -> target:int -> (int * int) array
(** Adjacent pieces [(from, until)] of about [target] bytes, which cover the
    text and split no word. *)

val words : Bytes.t -> int -> int -> Vocab.t -> Ints.t -> int
(** [words buffer from until vocab ids] appends the number of every word of the
    piece to [ids] and returns the number of lines. The function lowers the case
    of the words in the buffer. *)

val hash : string -> int
(** The hash under which {!words} interns a word. *)
