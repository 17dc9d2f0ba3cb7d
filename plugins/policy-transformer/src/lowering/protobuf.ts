/** Writes messages of protobuf, field by field. */
import protobuf from 'protobufjs/minimal.js';

export type Writer = protobuf.Writer;

/** Wire types of protobuf. */
const VARINT = 0;
const BYTES = 2;
const FIXED32 = 5;
const tag = (field: number, wire: number): number => field * 8 + wire;

export function newWriter(): Writer {
  return protobuf.Writer.create();
}

export function message(writer: Writer, field: number, write: (writer: Writer) => void): void {
  writer.uint32(tag(field, BYTES)).fork();
  write(writer);
  writer.ldelim();
}

export function text(writer: Writer, field: number, value: string): void {
  writer.uint32(tag(field, BYTES)).string(value);
}

export function integer(writer: Writer, field: number, value: number): void {
  writer.uint32(tag(field, VARINT)).int64(value);
}

export function float(writer: Writer, field: number, value: number): void {
  writer.uint32(tag(field, FIXED32)).float(value);
}

/** The memory of an array. */
export function bytes(writer: Writer, field: number, { buffer, byteOffset, byteLength }: ArrayBufferView): void {
  writer.uint32(tag(field, BYTES)).bytes(new Uint8Array(buffer, byteOffset, byteLength));
}

/** What `write` writes. */
export function encoded(write: (writer: Writer) => void): Uint8Array {
  const writer = newWriter();
  write(writer);
  return writer.finish();
}

/** A field that holds these parts one after the other. Nothing of them is copied, as a writer does when it grows. */
export function fieldOf(field: number, parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const prefix = encoded((writer) => writer.uint32(tag(field, BYTES)).uint32(lengthOf(parts)));
  return [prefix, ...parts];
}

/** Copies parts one after the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(lengthOf(parts));
  let start = 0;
  for (const part of parts) {
    whole.set(part, start);
    start += part.length;
  }
  return whole;
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
