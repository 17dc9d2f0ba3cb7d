import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';

import { FolderReceiver } from './folder-receiver.js';
import { FolderSender } from './folder-sender.js';
import { type Frame, frameLine } from './frame.js';
import { FrameReader } from './frame-reader.js';
import { lastingFiles } from './lasting-files.js';

let there: string;
let here: string;
let output: string;
let seq: number;
const send = (frame: Frame) => (output += frameLine({ ...frame, seq: seq++ }));

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-frames-'));
  [there, here] = [join(folder, 'there'), join(folder, 'here')];
  mkdirSync(join(there, 'checkpoints/step-2'), { recursive: true });
  write('manifest.json', '{"status":"running"}');
  write('metrics.jsonl', '{"step":1}\n');
  write('empty.jsonl', '');
  write('lock.1.json', '{}');
  write('checkpoints/.writing-step-4', 'half');
  writeFileSync(join(there, 'checkpoints/step-2/model.bin'), Buffer.alloc(130_000, 'ab\u0000ü'));
  [output, seq] = ['', 0];
});

function write(path: string, text: string): void {
  writeFileSync(join(there, path), text);
}

async function receive(text = output, receiver = new FolderReceiver(here), reader = new FrameReader()) {
  for (const frame of reader.read(text)) await receiver.take(frame);
  return { receiver, reader };
}

function expectEqual(): void {
  expect(lastingFiles(here).sort()).toEqual(lastingFiles(there).sort());
  for (const path of lastingFiles(there)) {
    expect(readFileSync(join(here, path)).equals(readFileSync(join(there, path))), path).toBe(true);
  }
}

describe('a folder in frames', () => {
  it('arrives as it is, then its changes only', async () => {
    const sender = new FolderSender(there, send);
    sender.sync(false);
    const { receiver, reader } = await receive();
    expectEqual();
    expect(lastingFiles(here)).not.toContain('lock.1.json');
    const before = output.length;
    sender.sync(false);
    expect(output).toHaveLength(before);
    appendFileSync(join(there, 'metrics.jsonl'), '{"step":2}\n');
    write('manifest.json', '{"status":"completed"}');
    rmSync(join(there, 'checkpoints/step-2'), { recursive: true });
    sender.sync(false);
    const more = output.slice(before);
    // Only the new end of a log is sent.
    expect(more).toContain('"path":"metrics.jsonl","offset":11');
    await receive(more, receiver, reader);
    expectEqual();
    receiver.release();
  });

  it('arrives when its output is cut anywhere, mixed with other lines, and read again from the beginning', async () => {
    send({ type: 'hello', agentgym: '1', node: '20' });
    new FolderSender(there, send).sync(true);
    const noisy = `(warning)\n${output.replaceAll('\n', '\nprogress 50 %\r')}`.replaceAll('\r', '\n');
    const reader = new FrameReader();
    const receiver = new FolderReceiver(here);
    const half = Math.floor(noisy.length / 2);
    const seen: number[] = [];
    for (let at = 0; at < half; at += 997) {
      for (const frame of reader.read(noisy.slice(at, Math.min(half, at + 997)))) {
        seen.push(frame.seq);
        await receiver.take(frame);
      }
    }
    // Nothing of an unfinished state is written.
    expect(existsSync(here)).toBe(false);
    reader.restart();
    for (const frame of reader.read(noisy)) {
      seen.push(frame.seq);
      await receiver.take(frame);
    }
    expect(seen).toEqual(Array.from({ length: seq }, (_, i) => i));
    expectEqual();
    receiver.release();
  });

  it('replaces what another job had left', async () => {
    new FolderSender(there, send).sync(true);
    (await receive()).receiver.release();
    const first = output;
    write('metrics.jsonl', '{}\n');
    rmSync(join(there, 'empty.jsonl'));
    [output, seq] = ['', 0];
    new FolderSender(there, send).sync(true);
    const { receiver } = await receive(first.slice(0, -40));
    receiver.forget();
    await receive(output, receiver);
    expectEqual();
    receiver.release();
  });

  it('leaves a large checkpoint for the end', () => {
    writeFileSync(join(there, 'checkpoints/step-2/large.bin'), Buffer.alloc(17 * 1024 * 1024));
    const sender = new FolderSender(there, send);
    sender.sync(false);
    expect(output).not.toContain('"path":"checkpoints');
    expect(output).toContain('"files":');
    sender.sync(true);
    expect(output).toContain('"path":"checkpoints/step-2/large.bin"');
  });

  it('cannot leave its place', async () => {
    for (const path of ['../evil', '/etc/evil', 'a/../../evil']) {
      const receiver = new FolderReceiver(here);
      await expect(receiver.take({ type: 'piece', path, offset: 0, data: '' })).rejects.toThrow(/leaves the folder/);
    }
  });

  it('is held by one process', async () => {
    new FolderSender(there, send).sync(true);
    const { receiver } = await receive();
    expect(() => new FolderReceiver(here)).toThrow(expect.objectContaining({ code: 'AG_RUN_LOCKED' }));
    receiver.release();
  });
});
