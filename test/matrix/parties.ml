let all =
  Of_dromos.kinds
  @ [
      Of_fifo.kind;
      Of_lwt.promises;
      Of_lwt.fibers;
      Of_threads.systhreads;
      Of_threads.domains;
      Of_dromos.threads;
    ]
