"""Trains the network that reads sentences, from the examples of main.go.

python train.py OUT.bin EXAMPLES.jsonl [HELD.jsonl] [--epochs N]
"""

import argparse
import json
import math
import random
import struct

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

GRAMS, FLAGS, FACTS, KINDS, ACTS, ROLES = 4096, 14, 18, 30, 26, 7
WIDTH, EMB, KIND, HIDDEN = 96, 64, 12, 64
DILATIONS = (1, 2, 1, 4)
DROPOUT = 0.25
ASK = 25


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.EmbeddingBag(GRAMS, EMB, mode="mean", padding_idx=0)
        self.inp = nn.Linear(EMB + FLAGS, WIDTH)
        self.convs = nn.ModuleList([nn.Conv1d(WIDTH, WIDTH, 3, padding=d, dilation=d) for d in DILATIONS])
        self.all = nn.Linear(WIDTH, WIDTH)
        self.start = nn.Linear(WIDTH, 1)
        self.role = nn.Linear(WIDTH, ROLES)
        self.act = nn.Linear(2 * WIDTH, ACTS)
        self.kind = nn.Embedding(KINDS, KIND)
        self.mention = nn.Linear(3 * WIDTH + 2 * WIDTH + KIND + FACTS + ACTS, HIDDEN)
        self.point = nn.Linear(HIDDEN, 2)
        self.none = nn.Linear(2 * WIDTH + ACTS, 2)

    def words(self, grams, flags, lengths, drop=None):
        """Returns the vectors of the words, batch x words x WIDTH. drop says how likely the letters of a word are hidden."""
        b, t, g = grams.shape
        e = self.emb(grams.view(b * t, g)).view(b, t, EMB)
        if drop is not None:
            e = e * (torch.rand(b, t) > drop).float()[..., None]
        h = F.relu(self.inp(torch.cat([e, flags], 2)))
        mask = (torch.arange(t)[None] < lengths[:, None]).float()[..., None]
        h = h * mask
        for n, conv in enumerate(self.convs):
            if n == 2:
                mean = h.sum(1) / lengths[:, None]
                h = (h + self.all(mean)[:, None]) * mask
            x = F.relu(conv(h.transpose(1, 2)).transpose(1, 2))
            h = (h + F.dropout(x, DROPOUT, self.training)) * mask
        return h, mask


def segment(h, a, b):
    part = h[a:b]
    return torch.cat([part.mean(0), part.max(0).values])


def load(paths):
    out = []
    for p in paths:
        with open(p) as f:
            out += [json.loads(line) for line in f]
    return out


def batches(data, size, shuffle):
    order = sorted(range(len(data)), key=lambda i: (len(data[i]["grams"]), random.random()))
    groups = [order[k : k + size] for k in range(0, len(order), size)]
    if shuffle:
        random.shuffle(groups)
    for g in groups:
        yield [data[i] for i in g]


def tensors(batch):
    t = max(len(e["grams"]) for e in batch)
    g = 24
    grams = torch.zeros(len(batch), t, g, dtype=torch.long)
    flags = torch.zeros(len(batch), t, FLAGS)
    for k, e in enumerate(batch):
        for i, row in enumerate(e["grams"]):
            grams[k, i, : len(row)] = torch.tensor(row)
        flags[k, : len(e["flags"])] = torch.tensor(e["flags"])
    return grams, flags, torch.tensor([len(e["grams"]) for e in batch])


def points(net, h, seg, act, mentions):
    """Returns the scores of none and of the mentions, (1 + mentions) x 2. act is one-hot."""
    none = net.none(torch.cat([seg, act]))[None]
    if not mentions:
        return none
    m = torch.tensor(mentions)
    cum = torch.cat([torch.zeros(1, WIDTH), h.cumsum(0)])
    a, b = m[:, 0].long(), m[:, 1].long()
    inner = (cum[b] - cum[a]) / (b - a)[:, None]
    pad = torch.cat([torch.zeros(1, WIDTH), h, torch.zeros(1, WIDTH)])
    x = torch.cat([inner, pad[a], pad[b + 1], seg.expand(len(m), -1), net.kind(m[:, 2].long()), m[:, 3:], act.expand(len(m), -1)], 1)
    return torch.cat([none, net.point(F.relu(net.mention(x)))])


def hidden(batch, t):
    """Returns how likely the letters of each word are hidden: those of names and values most, as there are many others."""
    drop = torch.full((len(batch), t), 0.04)
    for k, e in enumerate(batch):
        for i, role in enumerate(e["roles"]):
            if role in (1, 2, 5, 6):
                drop[k, i] = 0.4
            elif e["flags"][i][11]:
                drop[k, i] = 0.25
    return drop


def losses(net, batch, train=False):
    grams, flags, lengths = tensors(batch)
    h, mask = net.words(grams, flags, lengths, hidden(batch, grams.shape[1]) if train else None)
    starts, roles = net.start(h)[..., 0], net.role(h)
    loss = torch.zeros(())
    right = dict(start=0, act=0, role=0, target=0, all=0, n=0, t=0)
    for k, e in enumerate(batch):
        n = len(e["grams"])
        gold = torch.tensor(e["starts"], dtype=torch.float)
        lone = e["steps"][0]["act"] == ASK and len(e["steps"]) == 1
        if n > 1 and not lone:
            loss = loss + F.binary_cross_entropy_with_logits(starts[k, 1:n], gold[1:], reduction="sum") * 0.5
        ok_start = bool(((starts[k, 1:n] > 0) == (gold[1:] > 0.5)).all())
        r = torch.tensor(e["roles"])
        if not any(s["masked"] for s in e["steps"]):
            loss = loss + F.cross_entropy(roles[k, :n], r, reduction="sum") * 0.6
        for i, s in enumerate(e["steps"]):
            a, b = s["from"], s["to"]
            seg = F.dropout(segment(h[k], a, b), DROPOUT, train)
            logits = net.act(seg)
            loss = loss + F.cross_entropy(logits[None], torch.tensor([s["act"]]), label_smoothing=0.05)
            ok_act = int(logits.argmax()) == s["act"]
            ok_role = bool((roles[k, a:b].argmax(1) == r[a:b]).all())
            ok_target = True
            if s["act"] != ASK and not s["masked"]:
                # those that begin in the step
                inside = [j for j, m in enumerate(e["mentions"]) if m[0] >= a and m[1] <= b]
                hot = F.one_hot(torch.tensor(s["act"]), ACTS).float()
                p = points(net, h[k], seg, hot, [e["mentions"][j] for j in inside])
                for which, want in ((0, s["target"]), (1, s["second"])):
                    if which == 1 and s["act"] != 11:
                        continue
                    good = [1 + inside.index(j) for j in want if j in inside]
                    if want and not good:
                        continue
                    logp = F.log_softmax(p[:, which], 0)
                    loss = loss - torch.logsumexp(logp[good], 0) if good else loss - logp[0]
                    best = int(logp.argmax())
                    ok_target &= best in good if good else best == 0
                if i == 0:
                    right["t"] += 1
                    right["target"] += ok_target
            if i == 0:
                right["n"] += 1
                right["start"] += ok_start or lone
                right["act"] += ok_act
                right["role"] += ok_role
                right["all"] += ok_act and ok_role and ok_target and (ok_start or lone)
    return loss / len(batch), right


def save(net, path):
    """Writes the weights: for each tensor its rows, columns, one scale for each row, and bytes."""
    with open(path, "wb") as f:
        for p in net.state_dict().values():
            w = p.detach().numpy()
            if w.ndim == 3:  # out, in, taps -> out, taps x in
                w = w.transpose(0, 2, 1).reshape(w.shape[0], -1)
            if w.ndim == 1:
                w = w[None]
                f.write(struct.pack("<II", *w.shape) + b"\1" + w.astype("<f4").tobytes())
                continue
            scale = np.maximum(np.abs(w).max(1), 1e-8) / 127
            q = np.round(w / scale[:, None]).astype(np.int8)
            f.write(struct.pack("<II", *w.shape) + b"\0" + scale.astype("<f4").tobytes() + q.tobytes())


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("out")
    ap.add_argument("examples")
    ap.add_argument("--held", nargs="*", default=[])
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--rate", type=float, default=2e-3)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    random.seed(args.seed)
    torch.set_num_threads(1)
    data, held = load([args.examples]), load(args.held)
    net = Net()
    print(sum(p.numel() for p in net.parameters()), "weights,", len(data), "examples", flush=True)
    opt = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=0.03)
    total = args.epochs * math.ceil(len(data) / 32)
    step = 0
    for epoch in range(args.epochs):
        net.train()
        sums = {}
        lost = count = 0
        for batch in batches(data, 32, True):
            for group in opt.param_groups:
                group["lr"] = args.rate * min(1, (step + 1) / 200) * 0.5 * (1 + math.cos(math.pi * step / total))
            loss, right = losses(net, batch, True)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            opt.step()
            step += 1
            lost += loss.item()
            count += 1
            for k, v in right.items():
                sums[k] = sums.get(k, 0) + v
        line = f"epoch {epoch} loss {lost / count:.3f} train all {sums['all'] / sums['n']:.3f}"
        if held:
            net.eval()
            hs = {}
            with torch.no_grad():
                for batch in batches(held, 64, False):
                    for k, v in losses(net, batch)[1].items():
                        hs[k] = hs.get(k, 0) + v
            line += " | held " + " ".join(f"{k} {hs[k] / (hs['t'] if k == 'target' else hs['n']):.3f}" for k in ("start", "act", "role", "target", "all"))
        print(line, flush=True)
        save(net, args.out)
    print([(k, tuple(v.shape)) for k, v in net.state_dict().items()])


main()
