// What the agent sees, thing by thing, as AgentGym's wrapper lists it (agentenv_babyai/environment.py,
// `postprocess_obs`).
import { stepX, stepY } from '../world/direction.js';
import { colours, doorStates, emptyCode, kindCodes, unseenCode, type Kind, type Place } from '../world/thing.js';
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
  readonly free: readonly Place[];
}

/** Cells of the view without the agent's own, in the order of `Scene.things`. */
const nearestFirst = Array.from({ length: viewSize * viewSize }, (_, at) => {
  const ahead = viewSize - 1 - Math.floor(at / viewSize);
  const right = (at % viewSize) - (viewSize - 1) / 2;
  return { at, ahead, right, distance: ahead + Math.abs(right) };
})
  .filter(({ distance }) => distance > 0)
  .sort((a, b) => a.distance - b.distance);

const kindByCode = new Map(Object.entries(kindCodes).map(([kind, code]) => [code, kind as Kind]));
const knownNames = new Map<number, { readonly kind: Kind; readonly name: string }>();

/** Kind and name of the thing with a code. */
function nameOf(code: number): { readonly kind: Kind; readonly name: string } {
  const known = knownNames.get(code);
  if (known !== undefined) return known;
  const kind = kindByCode.get(code & 0xff) ?? 'wall';
  const colour = colours[(code >> 8) & 0xff] ?? 'grey';
  const named = { kind, name: kind === 'door' ? `${colour} ${doorStates[code >> 16]} door` : `${colour} ${kind}` };
  knownNames.set(code, named);
  return named;
}

export function readScene(view: View, viewer: Viewer): Scene {
  const { x: ownX, y: ownY, direction, carrying } = viewer;
  const forwardX = stepX[direction];
  const forwardY = stepY[direction];
  const things: VisibleThing[] = [];
  const free: Place[] = [];
  const counts = new Map<string, number>();
  for (const { at, ahead, right, distance } of nearestFirst) {
    const code = view.codes[at] as number;
    if (code === unseenCode) continue;
    const x = ownX + forwardX * ahead - forwardY * right;
    const y = ownY + forwardY * ahead + forwardX * right;
    if (code === emptyCode) {
      free.push({ x, y });
      continue;
    }
    const { kind, name } = nameOf(code);
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    things.push({ kind, name, x, y, ahead, right, distance, number });
  }
  return { x: ownX, y: ownY, direction, carrying, things, free };
}

/** The nearest wall or box straight ahead. */
export function barrierAhead({ things }: Scene): VisibleThing | undefined {
  return things.find(({ kind, right }) => right === 0 && (kind === 'wall' || kind === 'box'));
}
