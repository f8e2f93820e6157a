// The inner loop of product quantization, for multilingual.py. Every operation is rounded on its
// own, in this order, so that all machines find the same words.

#include <math.h>

enum { DIMS = 8, WORDS = 256 };

// inner returns the product of x and a word, of which a component is in each column.
static inline float inner(const float *x, const float columns[DIMS][WORDS], int j) {
	float sum = 0;
#pragma GCC unroll 4
	for (int d = 0; d < DIMS; d += 2)
		sum += fmaf(x[d], columns[d][j], x[d + 1] * columns[d + 1][j]);
	return sum;
}

// nearest sets codes to the indices of the words that are nearest to n rows of x.
void nearest(const float *x, long n, const float *words, unsigned char *codes) {
	float columns[DIMS][WORDS], half[WORDS];
	for (int j = 0; j < WORDS; j++) {
		for (int d = 0; d < DIMS; d++)
			columns[d][j] = words[j * DIMS + d];
		half[j] = inner(words + j * DIMS, columns, j) / -2;
	}
	for (long i = 0; i < n; i++, x += DIMS) {
		float score[WORDS], best = -1e30f;
		for (int j = 0; j < WORDS; j++) {
			score[j] = inner(x, columns, j) + half[j];
			best = score[j] > best ? score[j] : best;
		}
		int j = 0;
		while (j < WORDS - 1 && score[j] < best)
			j++;
		codes[i] = (unsigned char)j;
	}
}
