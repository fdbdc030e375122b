/* Pending operations of MPI, for the stubs of this library. */

#ifndef DROMOS_MPI_OP_H
#define DROMOS_MPI_OP_H

#include <caml/mlvalues.h>
#include <stddef.h>

#ifdef NO_MPI

#define MPI_STUB(name, ...)                                                    \
  value name(__VA_ARGS__)                                                      \
  {                                                                            \
    dromos_mpi_none();                                                         \
    return Val_unit;                                                           \
  }
void dromos_mpi_none(void);

#else

#include <mpi.h>

struct op {
  MPI_Request request;
  MPI_Message message; /* matched by a probe, until it is received */
  MPI_Comm comm;       /* made by the operation, if any */
  char *buffer;
  size_t length; /* bytes */
  int owned;     /* true: free the buffer with the operation; false: a bigarray's */
  int source;
  int tag;
  int error; /* MPI_SUCCESS, or MPI's error */
  int done;
};

/* OCaml sees the aligned pointer as an integer. */
#define Operation_val(v) ((struct op *)((v) & ~(value)1))
#define Val_operation(op) ((value)(op) | 1)

MPI_Comm dromos_mpi_comm(value comm);
/* Raises OCaml's Error unless the code is MPI_SUCCESS. */
void dromos_mpi_check(int code, const char *call);
#define CHECK(call, ...) dromos_mpi_check(call(__VA_ARGS__), #call)
/* A datatype of [length] bytes; the caller frees the datatype if [*own]. */
int dromos_mpi_bytes(size_t length, MPI_Datatype *type, int *count, int *own);
struct op *dromos_mpi_new(char *buffer, size_t length, int owned);
/* A call that starts [op]; a call that MPI refuses frees [op], which has no buffer. */
#define START(op, call, ...) dromos_mpi_started(op, call(__VA_ARGS__), #call)
void dromos_mpi_started(struct op *op, int code, const char *call);

#endif
#endif
