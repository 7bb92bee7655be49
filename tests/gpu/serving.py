#!/usr/bin/env python3
"""A server on a GPU with many clients: tokens a second beside those of the same texts made offline.

    python3 tests/gpu/serving.py pack --fornax FORNAX --out DIR [--row 8b_f8] [--layers N]        # the compiler
    python3 tests/gpu/serving.py run --fornax FORNAX --models DIR [--row 8b_f8] [--layers N]      # the GPU

`pack` compiles a row of language.py for `--clients` texts a call. `run` makes its weights there, serves it, and asks
for texts of `--tokens` tokens behind prompts of `--prompt` tokens, all clients at once, each piece as it is made.

    offline     `fornax generate --prompt-file`: tokens made a second, prompts included, of as many texts behind the
                same ones, so that no first call is among them: what twice as many texts take longer
    served      tokens made a second, from the first request to the last token
    first       seconds until a client has its first piece: median, and that of 19 in 20
    vanished    clients that hang up at their first piece, among others that do not: all of the others get their texts,
                and nothing runs afterwards
"""
import argparse
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import language  # noqa: E402

# A server must be there by then, seconds.
START = 240


class Served(language.Row):
    """A row for as many texts a call as there are clients."""

    def __init__(self, a):
        row = language.ROWS[a.row]
        super().__init__(row.shape, row.kind, batch=a.clients, layers=a.layers, activations=row.activations)
        self.context = a.prompt + a.tokens
        self.chunk = a.chunk

    def flags(self):
        activations = ["--activation-type=" + self.activations] if self.activations else []
        return ["--context=%d" % self.context, "--chunk=%d" % self.chunk, "--compute-type=bf16",
                "--batch=%d" % self.batch, *activations]


def pack(a):
    os.makedirs(a.out, exist_ok=True)
    row = Served(a)
    path, data, _ = language.write_header(row, os.path.join(a.out, "header"))
    command = [a.fornax, "compile", *("--target=" + t for t in a.target or ["cuda:sm_90a"]), *a.flag, *row.flags(),
               path, "-o", os.path.join(a.out, "served.fnx")]
    done = subprocess.run(command)
    os.unlink(data)
    return done.returncode


def write_tokenizer(row, path):
    """A word for each token, none of which ends a text."""
    words = {"w%d" % at: at for at in range(row.words)}
    with open(path, "w") as file:
        json.dump({"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
                   "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None,
                   "model": {"type": "WordLevel", "vocab": words, "unk_token": "w0"}}, file)


class Client(threading.Thread):
    """Asks for one text, and reads it piece by piece; hangs up at the first where it vanishes."""

    def __init__(self, address, prompt, tokens, vanishes=False):
        super().__init__()
        self.address, self.prompt, self.tokens, self.vanishes = address, prompt, tokens, vanishes
        self.first = self.last = None
        self.pieces, self.made, self.error = 0, 0, None

    def run(self):
        try:
            self.ask()
        except Exception as error:  # told with the others' figures
            self.error = repr(error)

    def ask(self):
        connection = http.client.HTTPConnection(self.address, timeout=600)
        body = {"model": "served", "prompt": self.prompt, "max_tokens": self.tokens, "temperature": 0, "stream": True,
                "stream_options": {"include_usage": True}}
        self.begin = time.time()
        connection.request("POST", "/v1/completions", json.dumps(body), {"Content-Type": "application/json"})
        reply = connection.getresponse()
        if reply.status != 200:
            raise RuntimeError("%d: %s" % (reply.status, reply.read()[:300]))
        for line in reply:
            if not line.startswith(b"data: {"):
                continue
            event = json.loads(line[6:])
            self.last = time.time()
            if event.get("choices") and event["choices"][0].get("text"):
                self.first = self.first or self.last
                self.pieces += 1
                if self.vanishes:
                    connection.sock.close()
                    return
            if event.get("usage"):
                self.made = event["usage"]["completion_tokens"]
        connection.close()


def ask_all(clients):
    begin = time.time()
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    failed = [client.error for client in clients if client.error]
    if failed:
        raise RuntimeError("%d clients failed: %s" % (len(failed), failed[0]))
    return begin


def figures(clients, begin):
    whole = [client for client in clients if not client.vanishes]
    made = sum(client.made for client in whole)
    first = sorted(client.first - client.begin for client in whole)
    seconds = max(client.last for client in whole) - begin
    return {"made": made, "seconds": seconds, "tok_s": made / seconds, "first_s": statistics.median(first),
            "first_p95_s": first[min(len(first) - 1, len(first) * 19 // 20)]}


def metric(address, name):
    connection = http.client.HTTPConnection(address, timeout=60)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    found = re.search(r"^%s(?:\{[^}]*\})? ([0-9.e+-]+)$" % name, text, re.MULTILINE)
    return float(found.group(1)) if found else None


def served(a, row, path, words):
    import numpy
    command = [a.fornax, "serve", "--module=" + os.path.join(a.models, "served.fnx"), "--parameters=" + path,
               "--tokenizer=" + words, "--device=" + a.device, "--port=0", "--max-sequences=%d" % a.clients,
               "--queue=%d" % (4 * a.clients)]
    began = time.time()
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        timer = threading.Timer(START, server.kill)
        timer.start()
        line = server.stdout.readline()
        timer.cancel()
        found = re.search(r"http://([^/]+)/", line)
        if not found:
            raise RuntimeError("the server did not start: %s" % line)
        address, table = found.group(1), {"start_s": time.time() - began}
        draw = numpy.random.default_rng(5)

        def prompts():
            return [draw.integers(0, row.words, a.prompt).tolist() for _ in range(a.clients)]

        # The first texts find everything cold.
        ask_all([Client(address, draw.integers(0, row.words, 8).tolist(), 4) for _ in range(a.clients)])
        all_prompts = prompts()
        clients = [Client(address, prompt, a.tokens) for prompt in all_prompts]
        table["served"] = figures(clients, ask_all(clients))
        clients = [Client(address, prompt, a.tokens, at % 2 == 1) for at, prompt in enumerate(prompts())]
        table["vanished"] = figures(clients, ask_all(clients))
        whole = [client for client in clients if not client.vanishes]
        table["vanished"]["short"] = sum(client.made != a.tokens for client in whole)
        deadline = time.time() + 10
        while (running := metric(address, "fornax_active_sequences")) and time.time() < deadline:
            time.sleep(0.1)
        table["vanished"]["still_running"] = running
        return table, all_prompts
    finally:
        server.terminate()
        server.wait(60)


def offline(a, path, words, prompts):
    """Seconds that the texts behind these prompts take together."""
    file = os.path.join(a.scratch, "prompts.jsonl")
    with open(file, "w") as out:
        for prompt in prompts:
            out.write(json.dumps(" ".join("w%d" % token for token in prompt)) + "\n")
    command = [a.fornax, "generate", "--module=" + os.path.join(a.models, "served.fnx"), "--parameters=" + path,
               "--tokenizer=" + words, "--device=" + a.device, "--raw", "--prompt-file=" + file,
               "--max-tokens=%d" % a.tokens]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    found = re.search(r"([0-9.]+) tok/s together", done.stderr)
    if done.returncode or not found:
        raise RuntimeError(done.stderr[-800:])
    return len(prompts) * a.tokens / float(found.group(1))


def run(a):
    row = Served(a)
    path = language.write_weights(row, os.path.join(a.scratch, "served"))
    words = os.path.join(a.scratch, "tokenizer.json")
    write_tokenizer(row, words)
    table, prompts = served(a, row, path, words)
    one, vanished = table["served"], table["vanished"]
    print("server there after %.1f s" % table["start_s"])
    print("served    %9.1f tok/s, first piece %.3f s (19 of 20: %.3f s), %d tokens in %.2f s"
          % (one["tok_s"], one["first_s"], one["first_p95_s"], one["made"], one["seconds"]), flush=True)
    print("vanished  %d of %d texts short, %s still running" % (
        vanished["short"], a.clients - a.clients // 2, vanished["still_running"]), flush=True)
    others = [[(token + 1) % row.words for token in prompt] for prompt in prompts]
    cold, both = (offline(a, path, words, some) for some in (prompts, prompts + others))
    table["offline_tok_s"] = len(prompts) * a.tokens / (both - cold)
    table["offline_cold_tok_s"] = len(prompts) * a.tokens / cold
    print("offline   %9.1f tok/s, of a process's first texts %.1f; served is %.1f %%" % (
        table["offline_tok_s"], table["offline_cold_tok_s"], 100 * one["tok_s"] / table["offline_tok_s"]))
    if a.out:
        with open(os.path.join(a.out, "serving.json"), "w") as file:
            json.dump(table, file, indent=1)
    return 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["pack", "run"])
    p.add_argument("--fornax", required=True)
    p.add_argument("--models", help="the folder that `pack` wrote")
    p.add_argument("--out")
    p.add_argument("--row", default="8b_f8", help="a row of language.py")
    p.add_argument("--layers", type=int, help="so many of its layers")
    p.add_argument("--clients", type=int, default=64)
    p.add_argument("--prompt", type=int, default=1024, help="tokens of a prompt")
    p.add_argument("--tokens", type=int, default=256, help="tokens of a text")
    p.add_argument("--chunk", type=int, default=256, help="tokens of a prompt that are read at a time")
    p.add_argument("--target", action="append")
    p.add_argument("--flag", action="append", default=[], help="another flag of `fornax compile`")
    p.add_argument("--device", default="cuda")
    p.add_argument("--scratch", default="/dev/shm", help="where weights are written")
    a = p.parse_args()
    return pack(a) if a.what == "pack" else run(a)


if __name__ == "__main__":
    sys.exit(main())
