/* The content of a policy's map .data.topology, read from /sys.

   A domain is a set of CPUs that share a core, a level 2 cache, a level 3 cache, a node
   of memory or the machine; smaller domains come first. The groups of a domain are the
   domains one level below, or single CPUs. Two levels of equal sets become one level.
   The layout is struct topology of policy/kernel/machine.h, for the number of cores
   that the policy was compiled for. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "loader.h"

#define MOST 1024

typedef struct {
  uint64_t bits[MOST / 64];
} cpus;

enum { SMT = 1, L2 = 2, L3 = 4, NODE = 8, MACHINE = 16 };

static int has(const cpus *s, int c) { return s->bits[c / 64] >> (c % 64) & 1; }
static void add(cpus *s, int c) { s->bits[c / 64] |= 1ULL << (c % 64); }
static int same(const cpus *a, const cpus *b) { return !memcmp(a, b, sizeof *a); }

/* Reads a list in the kernel's form: 0-3,8,10-11. */
static int read_list(const char *path, cpus *to)
{
  int from, until, next = ',';
  FILE *f = fopen(path, "r");
  memset(to, 0, sizeof *to);
  if (f == NULL) return 0;
  while (next == ',' && fscanf(f, "%d", &from) == 1) {
    until = from;
    next = fgetc(f);
    if (next == '-') {
      if (fscanf(f, "%d", &until) != 1) break;
      next = fgetc(f);
    }
    for (int c = from; c <= until; c++)
      if (c >= 0 && c < MOST) add(to, c);
  }
  fclose(f);
  return 1;
}

static int read_number(const char *path)
{
  int n = -1;
  FILE *f = fopen(path, "r");
  if (f != NULL) {
    if (fscanf(f, "%d", &n) != 1) n = -1;
    fclose(f);
  }
  return n;
}

/* The CPUs that share a cache of this level with [c]. */
static int sharing_cache(int c, int level, cpus *to)
{
  char path[128], type[32] = "";
  for (int i = 0; i < 10; i++) {
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/level", c, i);
    if (read_number(path) != level) continue;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/type", c, i);
    FILE *f = fopen(path, "r");
    if (f == NULL) return 0;
    int read = fscanf(f, "%31s", type);
    fclose(f);
    if (read != 1 || !strcmp(type, "Instruction")) continue;
    snprintf(path, sizeof path,
             "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", c, i);
    return read_list(path, to);
  }
  return 0;
}

static int of_node(int c, cpus *to)
{
  char path[128];
  for (int node = 0; node < MOST; node++) {
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", node);
    if (read_list(path, to) && has(to, c)) return 1;
  }
  return 0;
}

static int shares(int level, int c, const cpus *online, cpus *to)
{
  char path[128];
  int known = 1;
  if (level == SMT) {
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", c);
    known = read_list(path, to);
  } else if (level == L2)
    known = sharing_cache(c, 2, to);
  else if (level == L3)
    known = sharing_cache(c, 3, to);
  else if (level == NODE)
    known = of_node(c, to);
  else
    *to = *online;
  for (int w = 0; w < MOST / 64; w++) to->bits[w] &= online->bits[w];
  return known && has(to, c);
}

/* {The domains and groups} */

struct set {
  cpus of;
  int sharing; /* everything that the CPUs share, as bits */
};

static struct set domains[MOST], groups[2 * MOST];
static int n_domains, n_groups, domain_of_group[2 * MOST];

static void group(const cpus *of, int domain)
{
  if (n_groups == 2 * MOST) return;
  groups[n_groups] = (struct set){ *of, domains[domain].sharing };
  domain_of_group[n_groups++] = domain;
}

/* Domain [d], whose groups are the domains from [below] to [end], or single CPUs. */
static void groups_of(int d, int below, int end)
{
  cpus covered;
  memset(&covered, 0, sizeof covered);
  for (int b = below; b < end; b++) {
    int inside = 1;
    for (int w = 0; w < MOST / 64; w++)
      if (domains[b].of.bits[w] & ~domains[d].of.bits[w]) inside = 0;
    if (!inside) continue;
    group(&domains[b].of, d);
    for (int w = 0; w < MOST / 64; w++) covered.bits[w] |= domains[b].of.bits[w];
  }
  for (int c = 0; c < MOST; c++)
    if (has(&domains[d].of, c) && !has(&covered, c)) {
      cpus one;
      memset(&one, 0, sizeof one);
      add(&one, c);
      group(&one, d);
    }
}

/* Adds the domains of a level. A level of single CPUs, or of the same domains as the
   level below, adds none. */
static void level(int sharing, const cpus *online, int *below)
{
  int first = n_domains, news = 0;
  for (int c = 0; c < MOST; c++) {
    cpus with;
    int known = 0, alone = 1;
    if (!has(online, c) || !shares(sharing, c, online, &with)) continue;
    for (int o = 0; o < MOST; o++) alone &= o == c || !has(&with, o);
    if (alone && sharing != MACHINE) continue;
    for (int d = first; d < n_domains; d++) known |= same(&domains[d].of, &with);
    if (known || n_domains == MOST) continue;
    /* CPUs that share a cache share all larger units too. */
    domains[n_domains++] = (struct set){ with, 2 * MACHINE - sharing };
    int before = 0;
    for (int d = *below; d < first; d++) before |= same(&domains[d].of, &with);
    news += !before;
  }
  if (news == 0)
    n_domains = first;
  else {
    for (int d = first; d < n_domains; d++) groups_of(d, *below, first);
    *below = first;
  }
}

/* {The bytes of the map} */

static char *put_bits(char *to, const cpus *from, int cores)
{
  memcpy(to, from->bits, cores / 8);
  return to + cores / 8;
}

static size_t size_for(size_t cores)
{
  size_t set = cores / 8;
  return 16 + set + 2 * cores * (set + 8) + cores * (set + 2 * set);
}

void fill_topology(void *value, size_t size)
{
  cpus online;
  int cores = 0, most = 0, below = 0;
  for (int n = 64; n <= MOST; n *= 2)
    if (size_for(n) == size) cores = n;
  if (cores == 0 || !read_list("/sys/devices/system/cpu/online", &online)) return;
  for (int c = 0; c < MOST; c++)
    if (has(&online, c)) most = c + 1;
  if (most > cores) return;
  static const int levels[] = { SMT, L2, L3, NODE, MACHINE };
  for (int l = 0; l < 5; l++) level(levels[l], &online, &below);
  if (n_domains > cores || n_groups > 2 * cores) return;

  memset(value, 0, size);
  uint32_t head[4] = { most, n_groups, n_domains, 1 };
  char *to = value;
  memcpy(to, head, sizeof head);
  to = put_bits(to + sizeof head, &online, cores);
  for (int g = 0; g < 2 * cores; g++) {
    int64_t sharing = g < n_groups ? groups[g].sharing : 0;
    to = put_bits(to, &groups[g].of, cores);
    memcpy(to, &sharing, 8);
    to += 8;
  }
  for (int d = 0; d < cores; d++) {
    to = put_bits(to, &domains[d].of, cores);
    for (int g = 0; g < n_groups; g++)
      if (d < n_domains && domain_of_group[g] == d) to[g / 8] |= 1 << (g % 8);
    to += 2 * cores / 8;
  }
}
