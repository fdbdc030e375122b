/* Starts a program in a process group of its own, so that a solver and its helpers can
   be killed together. Unix.create_process cannot ask for a group. */

#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <caml/alloc.h>
#include <caml/fail.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>

extern char **environ;

static char **copied(value arguments)
{
  mlsize_t count = Wosize_val(arguments);
  char **argv = calloc(count + 1, sizeof(char *));
  for (mlsize_t i = 0; argv != NULL && i < count; i++)
    argv[i] = strdup(String_val(Field(arguments, i)));
  return argv;
}

static void free_all(char **argv)
{
  for (char **each = argv; each != NULL && *each != NULL; each++) free(*each);
  free(argv);
}

/* Resets signals to their defaults: the child would inherit a signal that this process
   ignores. */
static int spawn(pid_t *pid, char **argv, int input, int output, int errors)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t all, none;
  int error;
  sigfillset(&all);
  sigdelset(&all, SIGKILL);
  sigdelset(&all, SIGSTOP);
  sigemptyset(&none);
  if ((error = posix_spawn_file_actions_init(&files)) != 0) return error;
  if ((error = posix_spawnattr_init(&how)) != 0) {
    posix_spawn_file_actions_destroy(&files);
    return error;
  }
  error = posix_spawn_file_actions_adddup2(&files, input, 0);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&files, output, 1);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&files, errors, 2);
  if (error == 0) error = posix_spawnattr_setpgroup(&how, 0);
  if (error == 0) error = posix_spawnattr_setsigdefault(&how, &all);
  if (error == 0) error = posix_spawnattr_setsigmask(&how, &none);
  if (error == 0)
    error = posix_spawnattr_setflags(
      &how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF
              | POSIX_SPAWN_SETSIGMASK);
  if (error == 0)
    error = posix_spawnp(pid, argv[0], &files, &how, argv, environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/* Returns the id of the process, or the error number negated. */
value dromos_child_spawn(value arguments, value input, value output, value errors)
{
  CAMLparam4(arguments, input, output, errors);
  pid_t pid = -1;
  char **argv = copied(arguments);
  int error = argv == NULL || argv[0] == NULL ? ENOMEM
    : spawn(&pid, argv, Int_val(input), Int_val(output), Int_val(errors));
  free_all(argv);
  CAMLreturn(Val_long(error == 0 ? (long)pid : -(long)error));
}

value dromos_child_error(value number)
{
  CAMLparam1(number);
  CAMLreturn(caml_copy_string(strerror(Int_val(number))));
}
