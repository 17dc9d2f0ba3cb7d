// What the agent sees, thing by thing, as AgentGym's wrapper lists it (agentenv_babyai/environment.py,
// `postprocess_obs`).
import { stepX, stepY } from '../world/direction.js';
import { colours, doorStates, emptyCode, kindCodes, unseenCode, type Kind } from '../world/thing.js';
import { viewSize, type View, type Viewer } from '../world/view.js';

export interface VisibleThing {
  readonly kind: Kind;
  /** `red ball`, `blue closed door`, `grey wall`. */
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** Steps ahead of the agent. */
  readonly ahead: number;
  /** Steps to the right; negative to the left. */
  readonly right: number;
  readonly distance: number;
  /** Counts things of one name, nearest first. */
  readonly number: number;
}

/** What the agent knows of the cells in view. */
export interface Scene extends Viewer {
  /** Nearest first; equally near ones row by row from the farthest, each from left to right. */
  readonly things: readonly VisibleThing[];
  /** Cells that are seen and hold nothing. */
  readonly free: readonly { readonly x: number; readonly y: number }[];
}

const kindByCode = new Map(Object.entries(kindCodes).map(([kind, code]) => [code, kind as Kind]));

export function readScene(view: View, viewer: Viewer): Scene {
  const { x: ownX, y: ownY, direction, carrying } = viewer;
  const things: Omit<VisibleThing, 'number'>[] = [];
  const free: { x: number; y: number }[] = [];
  for (let row = 0; row < viewSize; row += 1) {
    for (let column = 0; column < viewSize; column += 1) {
      const ahead = viewSize - 1 - row;
      const right = column - (viewSize - 1) / 2;
      const code = view.codes[row * viewSize + column] as number;
      if (code === unseenCode || (ahead === 0 && right === 0)) continue;
      const x = ownX + stepX[direction] * ahead - stepY[direction] * right;
      const y = ownY + stepY[direction] * ahead + stepX[direction] * right;
      const kind = kindByCode.get(code & 0xff);
      if (kind === undefined || code === emptyCode) {
        free.push({ x, y });
        continue;
      }
      const colour = colours[(code >> 8) & 0xff] as string;
      const name = kind === 'door' ? `${colour} ${doorStates[code >> 16]} door` : `${colour} ${kind}`;
      things.push({ kind, name, x, y, ahead, right, distance: ahead + Math.abs(right) });
    }
  }
  return { x: ownX, y: ownY, direction, carrying, things: number(things), free };
}

function number(things: Omit<VisibleThing, 'number'>[]): VisibleThing[] {
  const counts = new Map<string, number>();
  return things
    .sort((a, b) => a.distance - b.distance)
    .map((thing) => {
      const count = (counts.get(thing.name) ?? 0) + 1;
      counts.set(thing.name, count);
      return { ...thing, number: count };
    });
}

/** The nearest wall or box straight ahead. */
export function barrierAhead({ things }: Scene): VisibleThing | undefined {
  return things.find(({ kind, right }) => right === 0 && (kind === 'wall' || kind === 'box'));
}
