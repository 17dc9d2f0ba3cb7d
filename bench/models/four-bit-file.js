// GGUF files of 4-bit weights, made of one of 8-bit weights. llama.cpp's own program for it is in no package.
import { open } from 'node:fs/promises';

import { blockTypes, dequantize } from '../../plugins/policy-transformer/dist/checkpoint/gguf/dequantize.js';
import { readGgufHeader } from '../../plugins/policy-transformer/dist/checkpoint/gguf/gguf-header.js';
import { narrow } from '../../plugins/policy-transformer/dist/operations/half-floats.js';

const LENGTH = 32;
const ALIGNMENT = 32;
const numberOf = (name) => Number(Object.keys(blockTypes).find((number) => blockTypes[number].name === name));

/** By type: scales of a block, and the 4 bits of a number in it, as in ggml-quants.c. */
const quantizers = {
  Q4_0: (block) => {
    const largest = block.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
    const scale = largest / -8;
    return { scales: [scale], bitsOf: (number) => (scale === 0 ? 8 : number / scale + 8.5) };
  },
  Q4_1: (block) => {
    const least = Math.min(...block);
    const scale = (Math.max(...block) - least) / 15;
    return { scales: [scale, least], bitsOf: (number) => (scale === 0 ? 0 : (number - least) / scale + 0.5) };
  },
};

/** Writes the matrices of layers in 4 bits. The embedding, which is the head of small models, stays as it is. */
export async function writeFourBits(source, target, type) {
  const [from, to] = [await open(source), await open(target, 'w')];
  try {
    const { entries } = await readGgufHeader(from, source);
    const tensors = [...entries.values()].map((entry) => {
      const isQuantized = entry.name.startsWith('blk.') && entry.type.name === 'Q8_0';
      const bytes = entry.end - entry.start;
      return { ...entry, isQuantized, written: isQuantized ? (bytes / entry.type.bytes) * bytesOf(type) : bytes };
    });
    const start = Math.min(...tensors.map((tensor) => tensor.start));
    await to.writeFile(header(await read(from, 0, start), tensors, type));
    for (const tensor of tensors) {
      const bytes = await read(from, tensor.start, tensor.end);
      const all = Buffer.alloc(aligned(tensor.written));
      all.set(tensor.isQuantized ? quantize(bytes, tensor.type, type) : bytes);
      await to.writeFile(all);
    }
  } finally {
    await from.close();
    await to.close();
  }
}

/** The metadata as it was, and a new list of tensors. */
function header(old, tensors, type) {
  const list = old.indexOf(text(tensors[0].name));
  const parts = [old.subarray(0, list)];
  let offset = 0;
  for (const { name, shape, type: before, isQuantized, written } of tensors) {
    const number = Buffer.alloc(4);
    number.writeUInt32LE(numberOf(isQuantized ? type : before.name));
    const count = Buffer.alloc(4);
    count.writeUInt32LE(shape.length);
    parts.push(text(name), count, ...shape.toReversed().map(uint64), number, uint64(offset));
    offset += aligned(written);
  }
  const whole = Buffer.concat(parts);
  return Buffer.concat([whole, Buffer.alloc(aligned(whole.length) - whole.length)]);
}

function quantize(bytes, before, type) {
  const numbers = new Float32Array((bytes.length / before.bytes) * before.length);
  dequantize(before, bytes, numbers);
  const size = bytesOf(type);
  const result = new Uint8Array((numbers.length / LENGTH) * size);
  for (let at = 0, place = 0; at < numbers.length; at += LENGTH, place += size) {
    const block = numbers.subarray(at, at + LENGTH);
    const { scales, bitsOf } = quantizers[type](block);
    const halves = narrow(Float32Array.from(scales), 'F16');
    result.set(halves, place);
    const first = place + halves.length;
    for (let pair = 0; pair < LENGTH / 2; pair += 1) {
      const [low, high] = [block[pair], block[pair + LENGTH / 2]].map((number) =>
        Math.min(15, Math.floor(bitsOf(number))),
      );
      result[first + pair] = low | (high << 4);
    }
  }
  return result;
}

const bytesOf = (type) => blockTypes[numberOf(type)].bytes;
const aligned = (length) => Math.ceil(length / ALIGNMENT) * ALIGNMENT;

async function read(file, from, to) {
  const bytes = Buffer.alloc(to - from);
  await file.read(bytes, 0, bytes.length, from);
  return bytes;
}

function uint64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function text(value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint64(bytes.length), bytes]);
}
