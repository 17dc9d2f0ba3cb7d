import type { TransferEvent, TransferredFile } from '../transfers/transfer-event.js';
import { formatBytes, formatSeconds, formatShare } from './format-quantity.js';

/** Remembers how far a transfer is, and tells it in lines. */
export class TransferLines {
  readonly #files = new Map<string, TransferredFile>();
  readonly #done = new Map<string, number>();
  /** Bytes that were there before the first progress of a file, and the time then. */
  readonly #begun = new Map<string, { readonly at: number; readonly done: number }>();

  /** Takes an event at a time in milliseconds. */
  take(event: TransferEvent, now: number): void {
    if (event.type === 'planned') for (const file of event.files) this.#files.set(file.name, file);
    if (event.type === 'progress') {
      if (!this.#begun.has(event.name)) this.#begun.set(event.name, { at: now, done: event.done });
      this.#done.set(event.name, event.done);
    }
    if (event.type === 'finished') this.#done.set(event.name, this.#files.get(event.name)?.bytes ?? 0);
  }

  /** "3 files: 988 MB to fetch". */
  planned(): string {
    const files = [...this.#files.values()];
    const bytes = formatBytes(files.reduce((sum, file) => sum + file.bytes, 0));
    return files.length === 1 ? `${files[0]!.name}: ${bytes} to fetch` : `${files.length} files: ${bytes} to fetch`;
  }

  /** "model.safetensors: 42 % of 988 MB, 12.3 MB/s, 46 s left". */
  progress(name: string, now: number): string {
    const [bytes, done] = [this.#files.get(name)?.bytes ?? 0, this.#done.get(name) ?? 0];
    const begun = this.#begun.get(name);
    const seconds = begun === undefined ? 0 : (now - begun.at) / 1000;
    const share = `${name}: ${formatShare(bytes === 0 ? 1 : done / bytes, 0)} of ${formatBytes(bytes)}`;
    // A rate over less than a second says little.
    if (begun === undefined || seconds < 1 || done <= begun.done) return share;
    const rate = (done - begun.done) / seconds;
    return `${share}, ${formatBytes(rate)}/s, ${formatSeconds((bytes - done) / rate)} left`;
  }

  /** "model.safetensors: 988 MB". */
  finished(name: string, outcome: 'transferred' | 'present'): string {
    const size = formatBytes(this.#files.get(name)?.bytes ?? 0);
    return outcome === 'present' ? `${name}: ${size}, already present` : `${name}: ${size}`;
  }
}
