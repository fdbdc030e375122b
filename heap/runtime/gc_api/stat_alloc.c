/* C memory for the runtime and for stubs: the [caml_stat_] functions, over malloc. */

#include "hh.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void caml_stat_create_pool(void) {}
void caml_stat_destroy_pool(void) {}

static void *or_raise(void *p, size_t bytes) {
  if (!p && bytes > 0) caml_raise_out_of_memory();
  return p;
}

void *caml_stat_alloc_noexc(asize_t n) { return malloc(n); }
void *caml_stat_alloc(asize_t n) { return or_raise(malloc(n), n); }
void *caml_stat_calloc_noexc(asize_t n, asize_t size) { return calloc(n, size); }
void caml_stat_free(void *p) { free(p); }
void *caml_stat_resize_noexc(void *p, asize_t n) { return realloc(p, n); }
void *caml_stat_resize(void *p, asize_t n) { return or_raise(realloc(p, n), n); }

void *caml_stat_alloc_aligned_noexc(asize_t n, int modulo, caml_stat_block *block) {
  char *p = malloc(n + Page_size);
  *block = p;
  if (!p) return NULL;
  p += modulo;
  p = (char *)(((uintnat)p / Page_size + 1) * Page_size);
  return p - modulo;
}

void *caml_stat_alloc_aligned(asize_t n, int modulo, caml_stat_block *block) {
  return or_raise(caml_stat_alloc_aligned_noexc(n, modulo, block), n);
}

char *caml_stat_strdup_noexc(const char *s) { return strdup(s); }
char *caml_stat_strdup(const char *s) { return or_raise(strdup(s), 1); }

char *caml_stat_strconcat(int n, ...) {
  va_list l;
  size_t length = 1;
  va_start(l, n);
  for (int i = 0; i < n; i++) length += strlen(va_arg(l, char *));
  va_end(l);
  char *all = caml_stat_alloc(length), *at = all;
  va_start(l, n);
  for (int i = 0; i < n; i++) at = stpcpy(at, va_arg(l, char *));
  va_end(l);
  *at = 0;
  return all;
}
