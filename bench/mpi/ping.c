/* Ping-pong between two ranks in C: MPI's own cost, for bench/mpi/run.sh. Prints lines
   "size seconds": the time of one way, the median over the rounds. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
  long sizes[] = { 8, 1024, 65536, 1048576, 67108864 };
  int rank, level, i, k, r;

  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < 5; i++) {
    long size = sizes[i];
    int each = size > 1000000 ? 10 : 1000, rounds = 21;
    double times[21];
    char *buffer = calloc(size, 1);
    for (r = 0; r < rounds; r++) {
      double begin;
      MPI_Barrier(MPI_COMM_WORLD);
      begin = MPI_Wtime();
      for (k = 0; k < each; k++)
        if (rank == 0) {
          MPI_Send(buffer, (int)size, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
          MPI_Recv(buffer, (int)size, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
          MPI_Recv(buffer, (int)size, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          MPI_Send(buffer, (int)size, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
      times[r] = (MPI_Wtime() - begin) / (2 * each);
    }
    qsort(times, rounds, sizeof *times, compare);
    if (rank == 0) printf("%ld %.9f\n", size, times[rounds / 2]);
    free(buffer);
  }
  MPI_Finalize();
  return 0;
}
