import type { ErrorFinding } from '../errors/agentgym-error.js';
import type { ErrorCode } from '../errors/error-codes.js';
import type { OptionComplaint } from './check-options.js';
import { formatPath, type KeyPath, type RecipeLayer } from './recipe-layer.js';

/** Most errors to report at once. A generated file may have thousands, and nobody reads so many. */
const mostFindings = 50;

/** A key that was written, has no effect, and was dropped. */
export interface IdleSetting {
  /** Its place in the recipe: `algorithm.options.clip`. */
  readonly path: string;
  /** A sentence that names the key and why. */
  readonly message: string;
}

/** Collects the first errors of a recipe, each with its file and line, or with its flag, and the keys that were dropped. */
export class Complaints {
  readonly #findings: ErrorFinding[] = [];
  readonly #idle: IdleSetting[] = [];

  /**
   * @param originOf the layer that a key came from
   * @param isCell whether a layer belongs to a cell of a grid: its keys without effect are dropped. Default: no layer does
   */
  constructor(
    private readonly originOf: (path: KeyPath) => RecipeLayer | undefined,
    private readonly isCell: (layer: RecipeLayer) => boolean = () => false,
  ) {}

  /** If true, further complaints are ignored. */
  get isFull(): boolean {
    return this.#findings.length >= mostFindings;
  }

  add(code: ErrorCode, path: KeyPath, message: string, hint: string): void {
    if (this.isFull) return;
    const layer = this.originOf(path);
    const line = layer?.line(path);
    this.#findings.push({
      code,
      message: layer?.origin === 'flag' ? `\`${layer.label}\`: ${message}` : message,
      hint,
      ...(layer?.file !== undefined && { file: layer.file }),
      ...(line !== undefined && { line }),
      path: formatPath(path),
    });
  }

  /** An option that is unknown or has a wrong value. `whose`: the contribution in words. */
  addOption({ message, hint, unknown }: OptionComplaint, path: KeyPath, whose: string): void {
    const about = `${formatPath(path)}: ${message}`;
    if (unknown) this.add('AG_RECIPE_UNKNOWN_KEY', path, `${about} of ${whose}`, hint);
    else this.add('AG_RECIPE_INVALID', path, about, hint);
  }

  /**
   * A written key has no effect: an error, except in a cell.
   *
   * @returns whether to drop it
   */
  addIdle(path: KeyPath, message: string, hint: string): boolean {
    const layer = this.originOf(path);
    const isDropped = layer !== undefined && this.isCell(layer);
    if (isDropped) this.noteIdle(path, message);
    else this.add('AG_RECIPE_IDLE_SETTING', path, message, hint);
    return isDropped;
  }

  /** A key has no effect here, and is dropped without an error. */
  noteIdle(path: KeyPath, message: string): void {
    this.#idle.push({ path: formatPath(path), message });
  }

  /** A flag has no effect, and the message names it. */
  addIdleFlag(path: KeyPath, message: string, hint: string): void {
    if (this.isFull) return;
    this.#findings.push({ code: 'AG_RECIPE_IDLE_SETTING', message, hint, path: formatPath(path) });
  }

  /** Dropped keys without effect, in the order in which they were found. */
  get idle(): readonly IdleSetting[] {
    return this.#idle;
  }

  /** In the order of the file, flags last. */
  get findings(): readonly ErrorFinding[] {
    return [...this.#findings].sort((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || 0);
  }
}
