#include "heap.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Blocks have sizes of 16 bytes times 1, 1.5, 2, 3, 4, 6 and so on, a head of 8 bytes that holds
// the number of the size, and lists of those that were given back.
enum { sizes = 56, page = 65536 };

typedef struct Block {
  uint32_t size;
  struct Block *next; // of those that are free; else the first bytes of the content
} Block;

extern char __heap_base;
static Block *given_back[sizes];
static uintptr_t top, end;

void heap_reset(void) {
  memset(given_back, 0, sizeof given_back);
  top = ((uintptr_t)&__heap_base + 7) & ~(uintptr_t)7;
  end = (uintptr_t)__builtin_wasm_memory_size(0) * page;
}

static uint32_t bytes_of(uint32_t size) { return (size & 1 ? 24u : 16u) << (size >> 1); }

static uint32_t size_of(size_t n) {
  uint32_t size = n <= 16 ? 0 : 2 * (28 - __builtin_clz((uint32_t)n - 1));
  if (size && bytes_of(size - 1) >= n) size--;
  return size;
}

void *heap_take(size_t n) {
  if (n > (size_t)1 << 30) __builtin_trap();
  uint32_t size = size_of(n);
  Block *block = given_back[size];
  if (block) {
    given_back[size] = block->next;
    return (char *)block + 8;
  }
  size_t whole = 8 + bytes_of(size);
  if (end - top < whole) {
    size_t pages = (whole - (end - top) + page - 1) / page;
    size_t ahead = end / page / 4;
    if (__builtin_wasm_memory_grow(0, pages + ahead) == (size_t)-1) {
      ahead = 0;
      if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) __builtin_trap();
    }
    end += (pages + ahead) * page;
  }
  block = (Block *)top;
  top += whole;
  block->size = size;
  return (char *)block + 8;
}

void *heap_grow(void *old, size_t n) {
  if (!old) return heap_take(n);
  Block *block = (Block *)((char *)old - 8);
  size_t had = bytes_of(block->size);
  if (n <= had) return old;
  void *new = heap_take(n);
  memcpy(new, old, had);
  free(old);
  return new;
}

void *malloc(size_t n) { return heap_take(n); }

void *calloc(size_t count, size_t n) {
  if (n && count > ((size_t)1 << 30) / n) __builtin_trap();
  return memset(heap_take(count * n), 0, count * n);
}

void *realloc(void *old, size_t n) { return heap_grow(old, n); }

void free(void *old) {
  if (!old) return;
  Block *block = (Block *)((char *)old - 8);
  block->next = given_back[block->size];
  given_back[block->size] = block;
}
