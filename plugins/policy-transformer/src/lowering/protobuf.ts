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
