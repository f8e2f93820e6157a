"""The network of the multilingual Universal Sentence Encoder, with gradients by the vectors of pieces."""

import numpy as np

ORDERS = (2, 3, 5)
LEFT = {2: 0, 3: 1, 5: 2}
REACH, CHANNELS, DIM = 2, 256, 512


def normalise(x, gamma, beta, eps):
    inverse = 1 / np.sqrt(x.var(-1, keepdims=True) + eps)
    n = (x - x.mean(-1, keepdims=True)) * inverse
    return n * gamma + beta, (n, inverse, gamma)


def normalise_back(d, kept):
    n, inverse, gamma = kept
    d = d * gamma
    return inverse * (d - d.mean(-1, keepdims=True) - n * (d * n).mean(-1, keepdims=True))


class Network:
    """One batch at a time: forward, then backward as often as wanted."""

    def __init__(self, z):
        self.w = {k: z[k] for k in z.files if not k.startswith("q")}
        self.first = [np.concatenate([self.w[f"{name}{n}"] for n in ORDERS], -1) for name in ("proj", "proj_b", "ln_g", "ln_b")]
        self.eps = float(self.w["eps"])

    def batch(self, ids):
        """Sets the texts: lists of tokens with the special ones."""
        self.sizes = np.array([len(i) for i in ids])
        self.tokens = np.concatenate(ids)
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.text = np.repeat(np.arange(len(ids)), self.sizes)
        near = np.arange(len(self.tokens))[:, None] + np.arange(-REACH, REACH + 1)
        low, high = self.starts[self.text][:, None], (self.starts + self.sizes)[self.text][:, None]
        self.near = np.where((near >= low) & (near < high), near, len(self.tokens))

    def _windows(self, x, n):
        padded = np.vstack([x, np.zeros_like(x[:1])])
        return padded[self.near[:, REACH - LEFT[n]:REACH - LEFT[n] + n]].reshape(len(x), -1)

    def _windows_back(self, d, n):
        d = d.reshape(len(d), n, -1)
        out = np.zeros((len(d) + 1, d.shape[2]), d.dtype)
        for k in range(n):
            out[self.near[:, REACH - LEFT[n] + k]] += d[:, k]
            out[-1] = 0
        return out[:-1]

    def forward(self, e):
        """The vectors of the texts for the vectors of their tokens."""
        w, (matrix, bias, gamma, beta) = self.w, self.first
        x, self.kept_first = normalise(e @ matrix + bias, gamma, beta, self.eps)
        features, self.on = [e], {}
        for b, n in enumerate(ORDERS):
            h = x[:, b * CHANNELS:(b + 1) * CHANNELS]
            for i in (1, 2):
                c = self._windows(h, n) @ w[f"w{i}_{n}"] + w[f"b{i}_{n}"]
                self.on[n, i] = c > 0
                h = np.maximum(c, 0) + h
            features.append(h)
        f, self.kept_last = normalise(np.hstack(features), w["ln_g"], w["ln_b"], self.eps)
        self.root = np.sqrt(self.sizes)[:, None].astype(np.float32)
        m = (np.add.reduceat(f, self.starts) @ w["cnn_W"] + self.sizes[:, None] * w["cnn_b"]) / self.root
        y0 = np.maximum(m @ w["d0"], 0)
        y1 = np.maximum(m @ w["p1"] + y0 @ w["d1"], 0)
        y2 = np.maximum(y1 @ w["d2"], 0)
        z = np.tanh(y1 @ w["p3"] + y2 @ w["d3"])
        length = np.linalg.norm(z, axis=1, keepdims=True)
        self.kept_head = y0 > 0, y1 > 0, y2 > 0, z, length
        return z / length

    def backward(self, d):
        """The gradient by the vectors of tokens, for the gradient by the vectors of texts."""
        w, (on0, on1, on2, z, length) = self.w, self.kept_head
        v = z / length
        dz = (d - v * (d * v).sum(1, keepdims=True)) / length * (1 - z * z)
        d2 = dz @ w["d3"].T * on2
        d1 = (dz @ w["p3"].T + d2 @ w["d2"].T) * on1
        d0 = d1 @ w["d1"].T * on0
        dm = (d1 @ w["p1"].T + d0 @ w["d0"].T) / self.root
        df = normalise_back((dm @ w["cnn_W"].T)[self.text], self.kept_last)
        dx = []
        for b, n in enumerate(ORDERS):
            dh = df[:, DIM + b * CHANNELS:DIM + (b + 1) * CHANNELS]
            for i in (2, 1):
                dh = dh + self._windows_back((dh * self.on[n, i]) @ w[f"w{i}_{n}"].T, n)
            dx.append(dh)
        return df[:, :DIM] + normalise_back(np.hstack(dx), self.kept_first) @ self.first[0].T
