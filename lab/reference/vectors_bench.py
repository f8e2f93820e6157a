"""Times ONNX Runtime on one core, to compare `go test -bench Embed` with.

    python vectors_bench.py FOLDER_OF_MODELS

FOLDER_OF_MODELS has minilm-l6-v2; model.onnx is exported beside this program's
temporary files. Prints least and median milliseconds.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime as ort
import torch
from transformers import AutoModel

INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


class Encoder(torch.nn.Module):
    """The encoder with its inputs in the order of INPUTS."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask, types):
        return self.model(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state


def export(folder, file):
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").float().eval()
    ids = torch.ones((1, 16), dtype=torch.long)
    axes = {n: {0: "batch", 1: "sequence"} for n in [*INPUTS, "last_hidden_state"]}
    torch.onnx.export(
        Encoder(model), (ids, ids, 0 * ids), str(file), input_names=INPUTS, output_names=["last_hidden_state"],
        dynamic_axes=axes, opset_version=17, dynamo=False)


def main():
    with tempfile.TemporaryDirectory() as d:
        file = Path(d) / "model.onnx"
        export(Path(sys.argv[1]) / "minilm-l6-v2", file)
        o = ort.SessionOptions()
        o.intra_op_num_threads = 1
        s = ort.InferenceSession(str(file), o, providers=["CPUExecutionProvider"])
    for n in (8, 32, 128, 256):
        ids = np.full((1, n), 1996, dtype=np.int64)
        feed = dict(zip(INPUTS, (ids, np.ones_like(ids), np.zeros_like(ids))))
        took = []
        for _ in range(max(20, 4000 // n)):
            start = time.perf_counter()
            s.run(["last_hidden_state"], feed)
            took.append(1e3 * (time.perf_counter() - start))
        print(f"onnxruntime {ort.__version__} {n} tokens: least {min(took):.2f} ms, median {statistics.median(took):.2f} ms")


if __name__ == "__main__":
    main()
