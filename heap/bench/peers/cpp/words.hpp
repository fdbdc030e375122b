// The programs on texts; a word is a maximal run of letters.
#pragma once
#include <atomic>
#include <string>
#include "numbers.hpp"

inline constexpr auto letter = [](char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
};

inline bool starts(const Array<char> &t, size_t i) {
  return letter(t[i]) && (i == 0 || !letter(t[i - 1]));
}

inline std::string word(const Array<char> &t, size_t i) {
  char *first = t.begin() + i;
  return std::string(first, std::find_if_not(first, t.end(), letter));
}

inline Array<size_t> words(const Array<char> &t) {
  return pack<size_t>(
      t.size, [&](size_t i) { return starts(t, i); }, [](size_t i) { return i; });
}

// Lines, words and bytes.

struct Counts {
  size_t lines = 0, words = 0, bytes = 0;
  Counts operator+(const Counts &o) const {
    return {lines + o.lines, words + o.words, bytes + o.bytes};
  }
};

inline Job wc(size_t n) {
  const Array<char> t = text(n);
  auto one = [=](size_t i) { return Counts{t[i] == '\n', starts(t, i), 1}; };
  return [=] {
    const Counts all =
        reduce<Counts>(n, 8192, [&](size_t lo, size_t hi, Counts so_far) {
          if (lo == hi) return so_far;
          so_far = so_far + one(lo);
          // The compiler vectorises the loop in this spelled-out form.
          for (size_t i = lo + 1; i < hi; i++) {
            so_far.lines += t[i] == '\n';
            so_far.words += letter(t[i]) & !letter(t[i - 1]);
            so_far.bytes++;
          }
          return so_far;
        });
    return [=] {
      Checksum sum;
      for (size_t x : {all.lines, all.words, all.bytes}) sum.add(int64_t(x));
      return sum.sum;
    };
  };
}

// The words in order, as strings.

inline Job tokens(size_t n) {
  const Array<char> t = text(n);
  return [=] {
    const Array<size_t> at = words(t);
    const auto all = tabulate<std::string>(
        at.size, 1024, [&](size_t i) { return word(t, at[i]); });
    return [=] {
      Checksum sum;
      for (const std::string &w : all) sum.add(int64_t(checksum(w)));
      return sum.sum;
    };
  };
}

// The distinct words, in a hash set shared by all workers: linear probing; a
// compare-and-set fills a slot for good.

class Set {
  using Slot = std::atomic<const std::string *>;
  Array<Slot> slots;

 public:
  explicit Set(size_t words)
      : slots(tabulate<Slot>(std::bit_ceil(2 * words + 1), 8192,
                             [](size_t) { return nullptr; })) {}
  Set(const Set &) = delete;
  ~Set() {
    for (const Slot &slot : slots) delete slot.load();
  }

  void add(std::string word) {
    const size_t mask = slots.size - 1;
    std::unique_ptr<const std::string> mine;
    for (size_t i = std::hash<std::string>()(word);; i++) {
      Slot &slot = slots[i & mask];
      const std::string *there = slot.load(std::memory_order_acquire);
      if (!there) {
        if (!mine) mine = std::make_unique<std::string>(word);
        if (slot.compare_exchange_strong(there, mine.get())) {
          mine.release();
          return;
        }
      }
      if (*there == word) return;
    }
  }

  Array<const std::string *> elements() const {
    return pack<const std::string *>(
        slots.size, [&](size_t i) { return slots[i].load() != nullptr; },
        [&](size_t i) { return slots[i].load(); });
  }
};

inline Job hash_dedup(size_t n) {
  const Array<char> t = text(n);
  const Array<size_t> at = words(t);
  return [=] {
    auto set = std::make_shared<Set>(at.size);
    pieces(at.size, 1024, [&](size_t lo, size_t hi) {
      for (size_t i = lo; i < hi; i++) set->add(word(t, at[i]));
    });
    const Array<const std::string *> distinct = set->elements();
    return [=, keep = set] {
      uint64_t sum = 0;
      for (const std::string *w : distinct) sum += checksum(*w);
      sum &= UINT64_MAX >> 2;
      return Checksum().add(int64_t(distinct.size)).add(int64_t(sum)).sum;
    };
  };
}
