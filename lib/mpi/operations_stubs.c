/* The calls of MPI 3.1 that Dromos_mpi uses: start and end, messages between two ranks,
   and a wait for many operations at once. Only `wait` blocks. */

#define CAML_INTERNALS
#include "mpi_op.h"

#include <caml/alloc.h>
#include <caml/bigarray.h>
#include <caml/callback.h>
#include <caml/fail.h>
#include <caml/intext.h>
#include <caml/memory.h>
#include <caml/signals.h>

#ifdef NO_MPI

void dromos_mpi_none(void)
{
  caml_failwith("Dromos_mpi: this program was built without MPI: install one "
                "(Debian: libopenmpi-dev), so that mpicc is found, and build again");
}

MPI_STUB(dromos_mpi_init, value unit)
MPI_STUB(dromos_mpi_finalize, value unit)
MPI_STUB(dromos_mpi_abort, value code)
MPI_STUB(dromos_mpi_place, value comm)
MPI_STUB(dromos_mpi_processor, value unit)
MPI_STUB(dromos_mpi_split, value comm, value colour, value key)
MPI_STUB(dromos_mpi_idup, value comm)
MPI_STUB(dromos_mpi_made, value op)
MPI_STUB(dromos_mpi_comm_free, value comm)
MPI_STUB(dromos_mpi_marshal, value v, value flags)
MPI_STUB(dromos_mpi_data, value data, value at, value length)
MPI_STUB(dromos_mpi_room, value length)
MPI_STUB(dromos_mpi_isend, value op, value comm, value to, value tag)
MPI_STUB(dromos_mpi_improbe, value comm, value from, value tag)
MPI_STUB(dromos_mpi_iprobe, value comm, value from, value tag)
MPI_STUB(dromos_mpi_imrecv, value op, value data, value at)
MPI_STUB(dromos_mpi_test, value op)
MPI_STUB(dromos_mpi_is_over, value op)
MPI_STUB(dromos_mpi_length, value op)
MPI_STUB(dromos_mpi_envelope, value op)
MPI_STUB(dromos_mpi_done, value op)
MPI_STUB(dromos_mpi_unmarshal, value op)
MPI_STUB(dromos_mpi_free, value op)
MPI_STUB(dromos_mpi_wait, value ops, value patterns, value us)
MPI_STUB(dromos_mpi_kick, value unit)

#else

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* {1 Communicators}: OCaml refers to a communicator by its index in [comms]. */

enum { MOST_COMMS = 4096 };
static MPI_Comm comms[MOST_COMMS];
static int comms_used[MOST_COMMS];
static pthread_mutex_t comms_lock = PTHREAD_MUTEX_INITIALIZER;

MPI_Comm dromos_mpi_comm(value comm) { return comms[Long_val(comm)]; }

static value number_of(MPI_Comm comm)
{
  int i;

  pthread_mutex_lock(&comms_lock);
  for (i = 0; i < MOST_COMMS && comms_used[i]; i++) ;
  if (i < MOST_COMMS) {
    comms[i] = comm;
    comms_used[i] = 1;
  }
  pthread_mutex_unlock(&comms_lock);
  if (i == MOST_COMMS) caml_failwith("Dromos_mpi: 4096 communicators are in use");
  return Val_int(i);
}

void dromos_mpi_check(int code, const char *call)
{
  char text[MPI_MAX_ERROR_STRING];
  int length;
  value args[3];
  const value *error = caml_named_value("dromos_mpi_error");

  if (code == MPI_SUCCESS) return;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
    strcpy(text, "an error without a text");
  if (error == NULL) caml_failwith(text);
  args[0] = caml_copy_string(call);
  caml_register_generational_global_root(&args[0]);
  args[1] = Val_int(code);
  args[2] = caml_copy_string(text);
  caml_remove_generational_global_root(&args[0]);
  caml_raise_with_args(*error, 3, args);
}

/* {1 Starting and ending} */

/* The level of threads that MPI gives: 3 for any thread at any time. */
value dromos_mpi_init(value unit)
{
  int level = MPI_THREAD_SINGLE, before = 0;

  (void)unit;
  CHECK(MPI_Initialized, &before);
  if (before)
    CHECK(MPI_Query_thread, &level);
  else
    CHECK(MPI_Init_thread, NULL, NULL, MPI_THREAD_MULTIPLE, &level);
  CHECK(MPI_Comm_set_errhandler, MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (!comms_used[0]) number_of(MPI_COMM_WORLD);
  return Val_int(level == MPI_THREAD_MULTIPLE ? 3 : level == MPI_THREAD_SERIALIZED ? 2
                 : level == MPI_THREAD_FUNNELED ? 1 : 0);
}

value dromos_mpi_finalize(value unit)
{
  (void)unit;
  caml_enter_blocking_section();
  MPI_Finalize();
  caml_leave_blocking_section();
  return Val_unit;
}

value dromos_mpi_abort(value code)
{
  MPI_Abort(MPI_COMM_WORLD, Int_val(code));
  abort();
}

/* The rank, and the number of ranks. */
value dromos_mpi_place(value comm)
{
  int rank, size;
  value v;

  CHECK(MPI_Comm_rank, dromos_mpi_comm(comm), &rank);
  CHECK(MPI_Comm_size, dromos_mpi_comm(comm), &size);
  v = caml_alloc_small(2, 0);
  Field(v, 0) = Val_int(rank);
  Field(v, 1) = Val_int(size);
  return v;
}

value dromos_mpi_processor(value unit)
{
  char name[MPI_MAX_PROCESSOR_NAME];
  int length;

  (void)unit;
  CHECK(MPI_Get_processor_name, name, &length);
  return caml_alloc_initialized_string(length, name);
}

/* Blocks until all ranks have called. Colour -1 makes no communicator. */
value dromos_mpi_split(value comm, value colour, value key)
{
  MPI_Comm from = dromos_mpi_comm(comm), made;
  int c = Int_val(colour), k = Int_val(key), code;

  caml_enter_blocking_section();
  code = MPI_Comm_split(from, c < 0 ? MPI_UNDEFINED : c, k, &made);
  caml_leave_blocking_section();
  dromos_mpi_check(code, "MPI_Comm_split");
  return made == MPI_COMM_NULL ? Val_int(-1) : number_of(made);
}

value dromos_mpi_comm_free(value comm)
{
  int i = Int_val(comm), code;

  caml_enter_blocking_section();
  code = MPI_Comm_free(&comms[i]);
  caml_leave_blocking_section();
  dromos_mpi_check(code, "MPI_Comm_free"); /* an error for the world, for example */
  pthread_mutex_lock(&comms_lock);
  comms_used[i] = 0;
  pthread_mutex_unlock(&comms_lock);
  return Val_unit;
}

/* {1 Operations} */

void dromos_mpi_started(struct op *op, int code, const char *call)
{
  if (code != MPI_SUCCESS) caml_stat_free(op);
  dromos_mpi_check(code, call);
}

struct op *dromos_mpi_new(char *buffer, size_t length, int owned)
{
  struct op *op = caml_stat_alloc(sizeof *op);

  op->request = MPI_REQUEST_NULL;
  op->message = MPI_MESSAGE_NULL;
  op->buffer = buffer;
  op->length = length;
  op->owned = owned;
  op->source = op->tag = -1;
  op->error = MPI_SUCCESS;
  op->done = 0;
  return op;
}

/* Starts to duplicate a communicator; [made] gives the new communicator a number. */
value dromos_mpi_idup(value comm)
{
  struct op *op = dromos_mpi_new(NULL, 0, 0);

  START(op, MPI_Comm_idup, dromos_mpi_comm(comm), &op->comm, &op->request);
  return Val_operation(op);
}

value dromos_mpi_made(value op) { return number_of(Operation_val(op)->comm); }

/* Counts of MPI 3 are ints. A longer message is one element of a large datatype. */
int dromos_mpi_bytes(size_t length, MPI_Datatype *type, int *count, int *own)
{
  enum { PIECE = 1 << 20 };
  MPI_Datatype piece, pieces, parts[2];
  MPI_Aint at[2] = { 0, 0 };
  int lengths[2] = { 1, (int)(length % PIECE) }, code;

  *own = 0;
  *type = MPI_BYTE;
  *count = (int)length;
  if (length <= INT_MAX) return MPI_SUCCESS;
  if (length / PIECE > INT_MAX) return MPI_ERR_COUNT;
  at[1] = (MPI_Aint)(length - length % PIECE);
  code = MPI_Type_contiguous(PIECE, MPI_BYTE, &piece);
  if (code == MPI_SUCCESS) {
    code = MPI_Type_contiguous((int)(length / PIECE), piece, &pieces);
    MPI_Type_free(&piece);
  }
  if (code == MPI_SUCCESS) {
    parts[0] = pieces;
    parts[1] = MPI_BYTE;
    code = MPI_Type_create_struct(2, lengths, at, parts, type);
    MPI_Type_free(&pieces);
  }
  if (code == MPI_SUCCESS) code = MPI_Type_commit(type);
  *count = 1;
  *own = 1;
  return code;
}

value dromos_mpi_marshal(value v, value flags)
{
  char *buffer;
  intnat length;

  caml_output_value_to_malloc(v, flags, &buffer, &length);
  return Val_operation(dromos_mpi_new(buffer, length, 1));
}

/* Bytes [at .. at + length - 1] of a bigarray, which the caller keeps alive. */
value dromos_mpi_data(value data, value at, value length)
{
  char *start = (char *)Caml_ba_data_val(data) + Long_val(at);

  return Val_operation(dromos_mpi_new(start, Long_val(length), 0));
}

static char *room(size_t length)
{
  char *buffer = malloc(length ? length : 1);

  if (buffer == NULL) caml_raise_out_of_memory();
  return buffer;
}

value dromos_mpi_room(value length)
{
  return Val_operation(dromos_mpi_new(room(Long_val(length)), Long_val(length), 1));
}

value dromos_mpi_isend(value v, value comm, value to, value tag)
{
  struct op *op = Operation_val(v);
  MPI_Datatype type;
  int count, own, code = dromos_mpi_bytes(op->length, &type, &count, &own);

  if (code == MPI_SUCCESS)
    code = MPI_Isend(op->buffer, count, type, Int_val(to), Int_val(tag),
                     dromos_mpi_comm(comm), &op->request);
  if (own) MPI_Type_free(&type);
  dromos_mpi_check(code, "MPI_Isend");
  return Val_unit;
}

static int source_of(value from)
{
  return Int_val(from) < 0 ? MPI_ANY_SOURCE : Int_val(from);
}

static void note(struct op *op, MPI_Status *status)
{
  MPI_Count length;

  op->source = status->MPI_SOURCE;
  op->tag = status->MPI_TAG;
  MPI_Get_elements_x(status, MPI_BYTE, &length);
  op->length = (size_t)length;
}

/* Takes the first matching message: later calls do not find the message again. 0: no
   message matches. */
value dromos_mpi_improbe(value comm, value from, value tag)
{
  MPI_Status status;
  MPI_Message message;
  struct op *op;
  int flag;

  CHECK(MPI_Improbe, source_of(from), Int_val(tag), dromos_mpi_comm(comm), &flag,
        &message, &status);
  if (!flag) return Val_int(0);
  op = dromos_mpi_new(NULL, 0, 0);
  note(op, &status);
  op->message = message;
  return Val_operation(op);
}

static value envelope(struct op *op)
{
  value v = caml_alloc_small(2, 0);

  Field(v, 0) = Val_int(op->source);
  Field(v, 1) = Val_long(op->length);
  return v;
}

/* Source and length of the first matching message, which stays; (-1, 0) without one. */
value dromos_mpi_iprobe(value comm, value from, value tag)
{
  MPI_Status status;
  struct op seen = { .source = -1, .length = 0 };
  int flag;

  CHECK(MPI_Iprobe, source_of(from), Int_val(tag), dromos_mpi_comm(comm), &flag, &status);
  if (flag) note(&seen, &status);
  return envelope(&seen);
}

value dromos_mpi_envelope(value v) { return envelope(Operation_val(v)); }

/* Receives a taken message: into a new buffer ([at] = -1), or into a bigarray from byte
   [at] on. The caller has compared the lengths. */
value dromos_mpi_imrecv(value v, value data, value at)
{
  struct op *op = Operation_val(v);
  MPI_Datatype type;
  int count, own, code;

  op->owned = Long_val(at) < 0;
  op->buffer = op->owned ? room(op->length)
                         : (char *)Caml_ba_data_val(data) + Long_val(at);
  code = dromos_mpi_bytes(op->length, &type, &count, &own);
  if (code == MPI_SUCCESS)
    code = MPI_Imrecv(op->buffer, count, type, &op->message, &op->request);
  if (own) MPI_Type_free(&type);
  dromos_mpi_check(code, "MPI_Imrecv");
  return Val_unit;
}

/* Only one thread at a time may test an operation. */
value dromos_mpi_test(value v)
{
  struct op *op = Operation_val(v);
  MPI_Status status;

  if (!op->done) op->error = MPI_Test(&op->request, &op->done, &status);
  return Val_bool(op->done || op->error != MPI_SUCCESS);
}

value dromos_mpi_is_over(value v)
{
  return Val_bool(Operation_val(v)->done || Operation_val(v)->error != MPI_SUCCESS);
}

value dromos_mpi_length(value v) { return Val_long(Operation_val(v)->length); }

/* Raises the error of an operation that is over. */
value dromos_mpi_done(value v)
{
  dromos_mpi_check(Operation_val(v)->error, "MPI_Testsome");
  return Val_unit;
}

value dromos_mpi_free(value v)
{
  struct op *op = Operation_val(v);

  if (op->owned) free(op->buffer);
  caml_stat_free(op);
  return Val_unit;
}

value dromos_mpi_unmarshal(value v)
{
  return caml_input_value_from_block(Operation_val(v)->buffer, Operation_val(v)->length);
}

/* {1 Waiting} */

static pthread_mutex_t kick_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t kick_wakes; /* waits by the monotonic clock */
static pthread_once_t kick_once = PTHREAD_ONCE_INIT;

static void make_kick(void)
{
  pthread_condattr_t attributes;

  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&kick_wakes, &attributes);
  pthread_condattr_destroy(&attributes);
}

static volatile int kicked, asleep;

/* Wakes the waiting thread, which looks at new items. For any thread. */
value dromos_mpi_kick(value unit)
{
  (void)unit;
  __atomic_store_n(&kicked, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&asleep, __ATOMIC_SEQ_CST)) {
    pthread_once(&kick_once, make_kick);
    pthread_mutex_lock(&kick_lock);
    pthread_cond_signal(&kick_wakes);
    pthread_mutex_unlock(&kick_lock);
  }
  return Val_unit;
}

/* Sleeps for [us] microseconds, or until a kick (0: without a limit). */
static void sleep_us(long us)
{
  struct timespec until;

  pthread_once(&kick_once, make_kick);
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += us * 1000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&kick_lock);
  __atomic_store_n(&asleep, 1, __ATOMIC_SEQ_CST);
  while (!__atomic_load_n(&kicked, __ATOMIC_SEQ_CST))
    if (us == 0)
      pthread_cond_wait(&kick_wakes, &kick_lock);
    else if (pthread_cond_timedwait(&kick_wakes, &kick_lock, &until) != 0)
      break;
  __atomic_store_n(&asleep, 0, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&kick_lock);
}

/* The thread first yields the processor between looks, then sleeps, longer and longer:
   a quick reply is seen without a sleep, and a slow reply costs little processor time.
   */
enum { YIELDS = 2000, SHORTEST = 20, LONGEST = 10000 };

static void pause_before(int round)
{
  long us = SHORTEST;

  if (round < YIELDS)
    sched_yield();
  else {
    int doubled = (round - YIELDS) / 32;
    us = doubled > 9 ? LONGEST : SHORTEST << doubled;
    sleep_us(us > LONGEST ? LONGEST : us);
  }
}

/* Waits for the end of an operation, a message that matches a pattern, a kick, or the
   time limit (0: none). A pattern is three numbers: communicator, source, tag. Marks
   finished operations. One thread calls it. */
value dromos_mpi_wait(value ops, value patterns, value limit_us)
{
  CAMLparam2(ops, patterns);
  int n = (int)Wosize_val(ops), m = (int)Wosize_val(patterns) / 3;
  int i, some, flag, found = 0, round = 0;
  long limit = Long_val(limit_us);
  struct op **op = caml_stat_alloc((n + 1) * sizeof *op);
  MPI_Request *requests = caml_stat_alloc((n + 1) * sizeof *requests);
  MPI_Status *statuses = caml_stat_alloc((n + 1) * sizeof *statuses);
  int *which = caml_stat_alloc((n + 1) * sizeof *which);
  long *p = caml_stat_alloc((3 * m + 1) * sizeof *p);
  struct timespec now, begin;

  for (i = 0; i < n; i++) {
    op[i] = Operation_val(Field(ops, i));
    requests[i] = op[i]->request;
  }
  for (i = 0; i < 3 * m; i++) p[i] = Long_val(Field(patterns, i));
  caml_enter_blocking_section();
  clock_gettime(CLOCK_MONOTONIC, &begin);
  while (!found && !__atomic_exchange_n(&kicked, 0, __ATOMIC_SEQ_CST)) {
    if (n == 0 && m == 0) {
      sleep_us(0);
      continue;
    }
    if (n > 0) {
      int code = MPI_Testsome(n, requests, &some, which, statuses);
      if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) some = 0;
      if (some != MPI_UNDEFINED)
        for (i = 0; i < some; i++) {
          struct op *o = op[which[i]];
          if (code == MPI_ERR_IN_STATUS) o->error = statuses[i].MPI_ERROR;
          o->request = MPI_REQUEST_NULL;
          o->done = 1;
          found = 1;
        }
    }
    for (i = 0; i < m && !found; i++)
      if (MPI_Iprobe(p[3 * i + 1] < 0 ? MPI_ANY_SOURCE : (int)p[3 * i + 1],
                     (int)p[3 * i + 2], comms[p[3 * i]], &flag, MPI_STATUS_IGNORE)
            == MPI_SUCCESS && flag)
        found = 1;
    if (found) break;
    pause_before(round++);
    if (limit > 0) {
      clock_gettime(CLOCK_MONOTONIC, &now);
      if ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000
          >= limit)
        break;
    }
  }
  caml_leave_blocking_section();
  caml_stat_free(op);
  caml_stat_free(requests);
  caml_stat_free(statuses);
  caml_stat_free(which);
  caml_stat_free(p);
  CAMLreturn(Val_unit);
}

#endif
