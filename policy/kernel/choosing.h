/* {Choosing among cores} [member] is a condition on [c]. */

#define FOR_CORES(c, member)                                                   \
  for (s64 c = ZERO; c < topology.cores && more(); c += 1 + ZERO)                         \
    if (serves(c) && (member))
#define FOR_GROUPS(g, member)                                                  \
  for (s64 g = ZERO; g < topology.groups && more(); g += 1 + ZERO)                        \
    if (member)
#define FOR_DOMAINS(d, member)                                                 \
  for (s64 d = ZERO; d < topology.domains && more(); d += 1 + ZERO)                       \
    if (member)

#define GROUP_HAS(g, c) ((g) >= 0 && bit(topology.group[AT(g, MAX_GROUPS)].cores, c, MAX_CORES))
#define DOMAIN_HAS(d, c) ((d) >= 0 && bit(topology.domain[AT(d, MAX_DOMAINS)].cores, c, MAX_CORES))
#define DOMAIN_HAS_GROUP(d, g)                                                 \
  ((d) >= 0 && bit(topology.domain[AT(d, MAX_DOMAINS)].groups, g, MAX_GROUPS))

#define FIRST(FOR, i, member)                                                  \
  ({                                                                           \
    s64 first_ = -1;                                                           \
    FOR(i, member) {                                                           \
      first_ = i;                                                              \
      break;                                                                   \
    }                                                                          \
    first_;                                                                    \
  })
#define LEAST(FOR, i, member, k)                                               \
  ({                                                                           \
    s64 least_ = -1, k_ = 0;                                                   \
    FOR(i, member) {                                                           \
      s64 this_ = (k);                                                         \
      if (least_ < 0 || this_ < k_) least_ = i, k_ = this_;                    \
    }                                                                          \
    least_;                                                                    \
  })
#define LEAST3(FOR, i, member, k, l, m)                                        \
  ({                                                                           \
    s64 least_ = -1, k_ = 0, l_ = 0, m_ = 0;                                   \
    FOR(i, member) {                                                           \
      s64 this_ = (k), then_ = (l), last_ = (m);                               \
      if (least_ < 0 || this_ < k_ ||                                          \
          (this_ == k_ && (then_ < l_ || (then_ == l_ && last_ < m_))))        \
        least_ = i, k_ = this_, l_ = then_, m_ = last_;                        \
    }                                                                          \
    least_;                                                                    \
  })
#define LEAST2(FOR, i, member, k, l) LEAST3(FOR, i, member, k, l, 0)
#define EXISTS(FOR, i, member) (FIRST(FOR, i, member) >= 0)
#define ANY(FOR, i, member)                                                    \
  ({                                                                           \
    s64 members_ = ZERO, any_ = -1;                                               \
    FOR(i, member) members_++;                                                 \
    s64 drawn_ = members_ > 1 ? draw(e, members_) : 0;                         \
    FOR(i, member) {                                                           \
      any_ = i;                                                                \
      if (drawn_-- <= 0) break;                                                \
    }                                                                          \
    any_;                                                                      \
  })

/* Collects the cores for a loop in the order of two keys; each key is evaluated
   once. */
#define ORDER(site, c, member, k, l)                                           \
  do {                                                                         \
    struct choices *o_ = &choices[site][e->timer & 1][AT(e->cpu, MAX_CORES)];  \
    for (u32 w_ = 0; w_ < CORE_WORDS; w_++) o_->left[w_] = 0;                  \
    FOR_CORES(c, member) {                                                     \
      o_->key[AT(c, MAX_CORES)] = (k);                                         \
      o_->key2[AT(c, MAX_CORES)] = (l);                                        \
      add_bit(o_->left, c, MAX_CORES);                                         \
    }                                                                          \
  } while (0)
#define FOR_ORDERED(site, c)                                                   \
  for (s64 c = next_choice(e, site); c >= 0 && more(); c = next_choice(e, site))

static __noinline s64 next_choice(struct event *e, u32 site) {
  struct choices *o =
      &choices[site <= ORDERS ? site : 0][e->timer & 1][AT(e->cpu, MAX_CORES)];
  s64 found = LEAST2(FOR_CORES, c, bit(o->left, c, MAX_CORES),
                     o->key[AT(c, MAX_CORES)], o->key2[AT(c, MAX_CORES)]);
  if (found >= 0) remove_bit(o->left, found, MAX_CORES);
  return found;
}
