import type { ErrorFinding } from '../errors/agentgym-error.js';
import type { ErrorCode } from '../errors/error-codes.js';
import { formatPath, type KeyPath, type RecipeLayer } from './recipe-layer.js';

/** Most errors to report at once. A generated file may have thousands, and nobody reads so many. */
const mostFindings = 50;

/** Collects the first errors of a recipe, each with its file and line, or with its flag. */
export class Complaints {
  readonly #findings: ErrorFinding[] = [];

  /** @param originOf the layer that a key came from */
  constructor(private readonly originOf: (path: KeyPath) => RecipeLayer | undefined) {}

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

  /** A complaint about a flag that names the flag itself. */
  addFlag(code: ErrorCode, path: KeyPath, message: string, hint: string): void {
    if (this.isFull) return;
    this.#findings.push({ code, message, hint, path: formatPath(path) });
  }

  /** In the order of the file, flags last. */
  get findings(): readonly ErrorFinding[] {
    return [...this.#findings].sort((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || 0);
  }
}
