import type { DataPart, DataSetOptions } from '../contracts/data-set.js';
import type { SplitName } from '../contracts/environment.js';
import { AgentgymError } from '../errors/agentgym-error.js';

export const dataSplitNames = ['train', 'validation', 'test'] as const satisfies readonly SplitName[];

/** Shares such as 0.7, 0.2 and 0.1 add up to a little less than 1. */
const rounding = 1e-9;

/** How a part is divided. */
interface PartRule {
  /** A row whose draw is below `below`, and in no share before, is of this split. */
  readonly shares: { readonly split: SplitName; readonly below: number }[];
  /** Gets all other rows. */
  rest?: SplitName;
}

/**
 * The split of a row, as a function of its part and of its draw, a number in [0, 1) that is a hash of its id. So no row is
 * in two splits, and nobody has to list them to know.
 */
export class SplitRule {
  readonly #parts = new Map<string, PartRule>();
  /** Parts that the options name, each with its split: they must exist. */
  readonly required: readonly (readonly [SplitName, string])[];

  /** @throws AG_DATA if two splits take the same rows, or a share is none */
  constructor(splits: DataSetOptions['splits']) {
    const taken = dataSplitNames.flatMap((split) => {
      const part = splits === undefined ? split : splits[split];
      return part === undefined ? [] : [[split, part] as const];
    });
    for (const [split, part] of taken) this.#take(split, part);
    this.required = splits === undefined ? [] : taken.map(([split, part]) => [split, nameOf(part)]);
  }

  /** Whether a part is divided by the draws of its rows. */
  divides(part: string): boolean {
    return (this.#parts.get(part)?.shares.length ?? 0) > 0;
  }

  splitOf(part: string, draw: number): SplitName | undefined {
    const rule = this.#parts.get(part);
    return rule?.shares.find(({ below }) => draw < below)?.split ?? rule?.rest;
  }

  #take(split: SplitName, taken: DataPart): void {
    const part = nameOf(taken);
    const rule = this.#parts.get(part) ?? { shares: [] };
    this.#parts.set(part, rule);
    if (typeof taken === 'string') {
      if (rule.rest !== undefined) {
        throw new AgentgymError('AG_DATA', {
          message: `The splits ${rule.rest} and ${split} both take the whole part "${part}".`,
          hint: `Give one of them a share, such as \`{ of: '${part}', share: 0.1 }\`; the other gets the rest.`,
        });
      }
      rule.rest = split;
      return;
    }
    const before = rule.shares.at(-1)?.below ?? 0;
    const below = before + taken.share;
    if (!(taken.share > 0 && below <= 1 + rounding)) {
      throw new AgentgymError('AG_DATA', {
        message: `The split ${split} takes ${taken.share} of the part "${part}", of which ${1 - before} is left.`,
        hint: 'A share is above 0, and the shares of a part add up to at most 1.',
      });
    }
    rule.shares.push({ split, below: below > 1 - rounding ? 1 : below });
  }
}

function nameOf(taken: DataPart): string {
  return typeof taken === 'string' ? taken : taken.of;
}
