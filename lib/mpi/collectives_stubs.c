/* Collective operations of MPI, on buffers of operations and on bigarrays. All start
   and do not wait. */

#define CAML_INTERNALS
#include "mpi_op.h"

#include <caml/bigarray.h>
#include <caml/fail.h>

#ifdef NO_MPI

MPI_STUB(dromos_mpi_ibarrier, value comm)
MPI_STUB(dromos_mpi_ibcast, value op, value comm, value root)
MPI_STUB(dromos_mpi_collect, value kind, value comm, value root, value sent, value received)
MPI_STUB(dromos_mpi_combine, value all, value comm, value root, value with, value sent,
         value received)
value dromos_mpi_combine_bytecode(value *args, int n)
{
  (void)n;
  return dromos_mpi_combine(args[0], args[1], args[2], args[3], args[4], args[5]);
}

#else


value dromos_mpi_ibarrier(value comm)
{
  struct op *op = dromos_mpi_new(NULL, 0, 0);

  START(op, MPI_Ibarrier, dromos_mpi_comm(comm), &op->request);
  return Val_operation(op);
}

value dromos_mpi_ibcast(value v, value comm, value root)
{
  struct op *op = Operation_val(v);
  MPI_Datatype type;
  int count, own, code = dromos_mpi_bytes(op->length, &type, &count, &own);

  if (code == MPI_SUCCESS)
    code = MPI_Ibcast(op->buffer, count, type, Int_val(root), dromos_mpi_comm(comm),
                      &op->request);
  if (own) MPI_Type_free(&type);
  dromos_mpi_check(code, "MPI_Ibcast");
  return Val_unit;
}

static MPI_Datatype type_of(value data)
{
  switch (Caml_ba_array_val(data)->flags & CAML_BA_KIND_MASK) {
  case CAML_BA_FLOAT32: return MPI_FLOAT;
  case CAML_BA_FLOAT64: return MPI_DOUBLE;
  case CAML_BA_SINT8: return MPI_INT8_T;
  case CAML_BA_CHAR:
  case CAML_BA_UINT8: return MPI_UINT8_T;
  case CAML_BA_SINT16: return MPI_INT16_T;
  case CAML_BA_UINT16: return MPI_UINT16_T;
  case CAML_BA_INT32: return MPI_INT32_T;
  case CAML_BA_INT64: return MPI_INT64_T;
  case CAML_BA_CAML_INT:
  case CAML_BA_NATIVE_INT: return sizeof(intnat) == 8 ? MPI_INT64_T : MPI_INT32_T;
  case CAML_BA_COMPLEX32: return MPI_C_FLOAT_COMPLEX;
  case CAML_BA_COMPLEX64: return MPI_C_DOUBLE_COMPLEX;
  default: caml_invalid_argument("Dromos_mpi: no MPI type for this kind of bigarray");
  }
}

/* The caller has compared the lengths. [kind]: gather, all-gather, scatter, all-to-all.
   [sent] has the length of one rank's part for the first two kinds, and of all parts
   for the last two. */
value dromos_mpi_collect(value kind, value comm, value root, value sent, value received)
{
  MPI_Datatype type = type_of(sent);
  MPI_Comm c = dromos_mpi_comm(comm);
  void *from = Caml_ba_data_val(sent), *to = Caml_ba_data_val(received);
  struct op *op;
  int size, n = (int)Caml_ba_array_val(sent)->dim[0];
  int m = (int)Caml_ba_array_val(received)->dim[0];

  CHECK(MPI_Comm_size, c, &size);
  op = dromos_mpi_new(NULL, 0, 0);
  switch (Int_val(kind)) {
  case 0:
    START(op, MPI_Igather, from, n, type, to, n, type, Int_val(root), c, &op->request);
    break;
  case 1: START(op, MPI_Iallgather, from, n, type, to, n, type, c, &op->request); break;
  case 2:
    START(op, MPI_Iscatter, from, m, type, to, m, type, Int_val(root), c, &op->request);
    break;
  default:
    START(op, MPI_Ialltoall, from, n / size, type, to, n / size, type, c, &op->request);
  }
  return Val_operation(op);
}

/* Combines arrays element by element: sum, product, least, greatest. */
value dromos_mpi_combine(value all, value comm, value root, value with, value sent,
                         value received)
{
  static MPI_Op ops[4];
  struct op *op;
  void *from = Caml_ba_data_val(sent), *to = Caml_ba_data_val(received);
  int n = (int)Caml_ba_array_val(sent)->dim[0];
  MPI_Datatype type = type_of(sent);

  ops[0] = MPI_SUM;
  ops[1] = MPI_PROD;
  ops[2] = MPI_MIN;
  ops[3] = MPI_MAX;
  op = dromos_mpi_new(NULL, 0, 0);
  if (Bool_val(all))
    START(op, MPI_Iallreduce, from, to, n, type, ops[Int_val(with)], dromos_mpi_comm(comm),
          &op->request);
  else
    START(op, MPI_Ireduce, from, to, n, type, ops[Int_val(with)], Int_val(root),
          dromos_mpi_comm(comm), &op->request);
  return Val_operation(op);
}

value dromos_mpi_combine_bytecode(value *args, int n)
{
  (void)n;
  return dromos_mpi_combine(args[0], args[1], args[2], args[3], args[4], args[5]);
}

#endif
