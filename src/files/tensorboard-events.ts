// The file format of TensorBoard: TFRecords with `Event` messages (`tensorflow/core/util/event.proto`,
// `summary.proto`). It is written by hand, because it only needs a few fields: Event {1: wall_time double, 2: step
// int64, 3: file_version, 5: summary, 7: session_log}, Summary.Value {1: tag, 2: simple_value float}.
import { readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

import { AppendLog } from './append-log.js';
import { maskedCrc32c } from './crc32c.js';

const filePattern = /^events\.out\.tfevents\.(\d+)\./;

/** Scalars for TensorBoard, in one file per process that worked on a run. */
export class TensorBoardEvents {
  readonly #log: AppendLog;

  /** @param purgeStep step at which a run continues: readers must ignore earlier files from this step on. */
  constructor(directory: string, purgeStep?: number) {
    this.#log = new AppendLog(join(directory, nextFileName(directory)), 0);
    this.#write(concat(stringField(3, 'brain.Event:2'), purgeStep === undefined ? [] : stepField(purgeStep)));
    const sessionStart = [...varint(tag(1, 0)), 1];
    if (purgeStep !== undefined)
      this.#write(concat(stepField(purgeStep), bytesField(7, Uint8Array.from(sessionStart))));
  }

  /** Adds scalars at a step of the whole run. */
  scalars(step: number, values: { readonly [name: string]: number }): void {
    const entries = Object.entries(values).map(([name, value]) =>
      bytesField(1, concat(stringField(1, name), floatField(2, value))),
    );
    if (entries.length > 0) this.#write(concat(stepField(step), bytesField(5, concat(...entries))));
  }

  close(): void {
    this.#log.close();
  }

  #write(fields: Uint8Array): void {
    const event = concat(doubleField(1, Date.now() / 1000), fields);
    const record = Buffer.alloc(12 + event.length + 4);
    record.writeBigUInt64LE(BigInt(event.length), 0);
    record.writeUInt32LE(maskedCrc32c(record.subarray(0, 8)), 8);
    record.set(event, 12);
    record.writeUInt32LE(maskedCrc32c(event), 12 + event.length);
    this.#log.append(record);
  }
}

/**
 * Readers read the files of a folder in the order of their names. So the time in a new name must be later than in the
 * old names.
 */
function nextFileName(directory: string): string {
  const taken = readdirSync(directory).flatMap((name) => filePattern.exec(name)?.[1] ?? []);
  const seconds = Math.max(Math.floor(Date.now() / 1000), ...taken.map((time) => Number(time) + 1));
  return `events.out.tfevents.${seconds}.${hostname()}.${process.pid}.0`;
}

/** The step at the start of a record; wire type 0. */
function stepField(step: number): Uint8Array {
  return Uint8Array.from([...varint(tag(2, 0)), ...varint(step)]);
}

function stringField(field: number, text: string): Uint8Array {
  return bytesField(field, Buffer.from(text));
}

function bytesField(field: number, data: Uint8Array): Uint8Array {
  return concat([...varint(tag(field, 2)), ...varint(data.length)], data);
}

function doubleField(field: number, value: number): Uint8Array {
  const data = Buffer.alloc(8);
  data.writeDoubleLE(value);
  return concat(varint(tag(field, 1)), data);
}

function floatField(field: number, value: number): Uint8Array {
  const data = Buffer.alloc(4);
  data.writeFloatLE(value);
  return concat(varint(tag(field, 5)), data);
}

function tag(field: number, wireType: number): number {
  return field * 8 + wireType;
}

/** Encodes a whole number from 0 to 2^53, seven bits per byte, lowest first. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}

function concat(...parts: (Uint8Array | readonly number[])[]): Uint8Array {
  return Buffer.concat(parts.map((part) => Uint8Array.from(part)));
}
