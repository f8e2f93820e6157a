// The parts of the C library that write: nothing here has anywhere to write to. The runtime
// of the grammars calls them only to log and to draw, which nobody asks it to.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#undef stderr
FILE *const stderr = 0;

int snprintf(char *restrict to, size_t n, const char *restrict format, ...) {
  (void)format;
  if (n) *to = 0;
  return 0;
}

int vsnprintf(char *restrict to, size_t n, const char *restrict format, va_list args) {
  (void)format, (void)args;
  if (n) *to = 0;
  return 0;
}

int fprintf(FILE *restrict file, const char *restrict format, ...) {
  (void)file, (void)format;
  return 0;
}

int vfprintf(FILE *restrict file, const char *restrict format, va_list args) {
  (void)file, (void)format, (void)args;
  return 0;
}

int printf(const char *restrict format, ...) {
  (void)format;
  return 0;
}

int fputs(const char *restrict text, FILE *restrict file) {
  (void)text, (void)file;
  return 0;
}

int fputc(int c, FILE *file) {
  (void)file;
  return c;
}

int fclose(FILE *file) {
  (void)file;
  return 0;
}

FILE *fdopen(int descriptor, const char *mode) {
  (void)descriptor, (void)mode;
  return 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  (void)clock;
  now->tv_sec = 0;
  now->tv_nsec = 0;
  return 0;
}

int dup(int descriptor) { return descriptor; }

_Noreturn void abort(void) { __builtin_trap(); }

_Noreturn void __assert_fail(const char *what, const char *file, int line, const char *function) {
  (void)what, (void)file, (void)line, (void)function;
  __builtin_trap();
}
