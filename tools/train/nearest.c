// The inner loop of product quantization, for multilingual.py.

enum { DIMS = 8, WORDS = 256 };

// nearest sets codes to the indices of the words that are nearest to n rows of x.
void nearest(const float *x, long n, const float *words, unsigned char *codes) {
	float columns[DIMS][WORDS], half[WORDS];
	for (int j = 0; j < WORDS; j++) {
		half[j] = 0;
		for (int d = 0; d < DIMS; d++) {
			columns[d][j] = words[j * DIMS + d];
			half[j] -= words[j * DIMS + d] * words[j * DIMS + d] / 2;
		}
	}
	for (long i = 0; i < n; i++, x += DIMS) {
		float score[WORDS], best = -1e30f;
		for (int j = 0; j < WORDS; j++) {
			float s = half[j];
			for (int d = 0; d < DIMS; d++)
				s += x[d] * columns[d][j];
			score[j] = s;
			best = s > best ? s : best;
		}
		int j = 0;
		while (j < WORDS - 1 && score[j] < best)
			j++;
		codes[i] = (unsigned char)j;
	}
}
