// A heap that is emptied as a whole. It serves malloc, calloc, realloc and free.
#pragma once
#include <stddef.h>

// Forgets everything that was taken.
void heap_reset(void);

// Returns n bytes, aligned to 8. Traps if the memory of the module has no more.
void *heap_take(size_t n);

// Returns n bytes that begin with those of old, which may be null.
void *heap_grow(void *old, size_t n);
