"""Writes a small GGUF model of random numbers as llama.cpp's converter would:  write-model.py KIND TOKENIZER_FOLDER FILE

KIND is `llama` or `qwen2`, with `-tied` for one without a head of its own. TOKENIZER_FOLDER has the files of a published tokenizer.
"""
import json
import math
import os
import sys

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import GGML_QUANT_SIZES, GGUFWriter, TokenType
from gguf.quants import dequantize, quantize

HIDDEN, LAYERS, HEADS, KV_HEADS, WIDTH, INNER = 256, 2, 4, 2, 64, 512
# What the package can write, and what only its reader knows: blocks of random bits, with scales at these places.
WRITTEN = [Type.Q4_0, Type.Q4_1, Type.Q5_0, Type.Q5_1, Type.Q8_0, Type.F16, Type.BF16, Type.F32]
SCALES = {Type.Q2_K: [80, 82], Type.Q3_K: [108], Type.Q4_K: [0, 2], Type.Q5_K: [0, 2], Type.Q6_K: [208], Type.IQ4_NL: [0]}


def blocks(random, kind, rows, width, spread):
    length, size = GGML_QUANT_SIZES[kind]
    data = random.integers(0, 256, (rows * width // length, size), dtype=np.uint8)

    def scale(value):
        for place in SCALES[kind]:
            data[:, place : place + 2] = np.array([value], np.float16).view(np.uint8)
        return dequantize(data.reshape(1, -1), kind)

    scale(spread / float(np.std(scale(1.0))))
    return data.reshape(rows, -1)


def rope_factors(theta, factor, original):
    """Llama 3's, as in convert_hf_to_gguf.py."""
    factors = []
    for frequency in 1.0 / (theta ** (np.arange(0, WIDTH, 2, dtype=np.float32) / WIDTH)):
        length = 2 * math.pi / frequency
        if length < original / 4:
            factors.append(1)
        elif length > original:
            factors.append(factor)
        else:
            smooth = (original / length - 1) / 3
            factors.append(1 / ((1 - smooth) / factor + smooth))
    return np.array(factors, dtype=np.float32)


def add_tokenizer(writer, folder, pre, specials):
    def load(name):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return json.load(file)

    tokenizer, config = load("tokenizer.json"), load("tokenizer_config.json")
    ids = {id: (token, TokenType.NORMAL) for token, id in tokenizer["model"]["vocab"].items()}
    for added in tokenizer["added_tokens"]:
        ids[added["id"]] = (added["content"], TokenType.CONTROL if added["special"] else TokenType.USER_DEFINED)
    rows = max(ids) + 1 + 63
    rows -= rows % 64
    tokens = [ids.get(id, (f"[PAD{id}]", TokenType.UNUSED)) for id in range(rows)]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list([token for token, _ in tokens])
    writer.add_token_types([kind for _, kind in tokens])
    writer.add_token_merges([pair if isinstance(pair, str) else " ".join(pair) for pair in tokenizer["model"]["merges"]])
    id_of = {token: id for id, (token, _) in ids.items()}
    for add, token in specials:
        add(writer, id_of[token])
    writer.add_chat_template(config["chat_template"])
    return rows


def main(kind, folder, path):
    architecture, is_tied = kind.split("-")[0], kind.endswith("-tied")
    random = np.random.default_rng([ord(letter) for letter in kind])
    writer = GGUFWriter(path, architecture)
    is_llama = architecture == "llama"
    theta = 500_000.0 if is_llama else 1_000_000.0
    writer.add_block_count(LAYERS)
    writer.add_context_length(4096)
    writer.add_embedding_length(HIDDEN)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_freq_base(theta)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_file_type(2)
    if is_llama:
        writer.add_rope_dimension_count(WIDTH)
    # The metadata name only the end of a text; the end of a turn is in the template.
    specials = (
        [(GGUFWriter.add_bos_token_id, "<|begin_of_text|>"), (GGUFWriter.add_eos_token_id, "<|end_of_text|>")]
        if is_llama
        else [(GGUFWriter.add_eos_token_id, "<|im_end|>"), (GGUFWriter.add_pad_token_id, "<|endoftext|>")]
    )
    rows = add_tokenizer(writer, folder, "llama-bpe" if is_llama else "qwen2", specials)
    writer.add_vocab_size(rows)

    turn = iter(range(10_000))

    def matrix(name, out, inner, spread=0.15):
        kinds = [*WRITTEN, *SCALES]
        chosen = kinds[(next(turn) * 5 + len(kind)) % len(kinds)]
        if chosen in SCALES:
            writer.add_tensor(name, blocks(random, chosen, out, inner, spread), raw_dtype=chosen)
            return
        numbers = (random.standard_normal((out, inner), dtype=np.float32) * spread).astype(np.float32)
        data = quantize(numbers, chosen)
        writer.add_tensor(name, data, raw_dtype=None if chosen in (Type.F32, Type.F16) else chosen)

    def vector(name, length, middle, spread):
        writer.add_tensor(name, (middle + spread * random.standard_normal(length)).astype(np.float32))

    if is_llama:
        # Llama 3.2's, and one that stretches already the positions of a short text.
        factors = rope_factors(theta, 4, 64) if is_tied else rope_factors(theta, 32, 8192)
        writer.add_tensor("rope_freqs.weight", factors)
    matrix("token_embd.weight", rows, HIDDEN, 0.3)
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        vector(block + "attn_norm.weight", HIDDEN, 1, 0.1)
        for part, out in (("q", HEADS * WIDTH), ("k", KV_HEADS * WIDTH), ("v", KV_HEADS * WIDTH)):
            matrix(f"{block}attn_{part}.weight", out, HIDDEN)
            if not is_llama:
                vector(f"{block}attn_{part}.bias", out, 0, 0.5)
        matrix(block + "attn_output.weight", HIDDEN, HEADS * WIDTH)
        vector(block + "ffn_norm.weight", HIDDEN, 1, 0.1)
        matrix(block + "ffn_gate.weight", INNER, HIDDEN)
        matrix(block + "ffn_up.weight", INNER, HIDDEN)
        matrix(block + "ffn_down.weight", HIDDEN, INNER)
    vector("output_norm.weight", HIDDEN, 1, 0.1)
    if not is_tied:
        matrix("output.weight", rows, HIDDEN, 0.3)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main(*sys.argv[1:])
