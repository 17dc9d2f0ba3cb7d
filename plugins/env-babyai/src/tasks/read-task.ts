import type { TaskFacts } from '@agentgym/cli';
import { digestOf, unknownTask } from '@agentgym/world-kit';

import { solve } from '../expert/solve.js';
import { Both, Sequence } from '../instructions/sequences.js';
import { generateLevel, type GeneratedLevel } from '../levels/generate-level.js';
import { EndlessLevelError } from '../levels/level-errors.js';
import { findLevelName } from '../levels/level-names.js';
import { levelByName, type Level } from '../levels/level-table.js';
import { NumpyGenerator } from '../random/numpy-generator.js';
import type { Rules } from '../world/world-state.js';
import { GridWorld } from '../world/world.js';

/** A level and the seed that it is drawn with. */
export interface Task {
  readonly level: Level;
  readonly seed: number;
}

/** Reads `GoToLocal/17`. Throws if it is no id. */
export function readTask(id: string): Task {
  const match = /^(\w{1,40})\/(0|[1-9]\d{0,15})$/.exec(id);
  const level = levelByName.get(findLevelName(match?.[1] ?? '') ?? '');
  const seed = Number(match?.[2]);
  if (level === undefined || !Number.isSafeInteger(seed)) {
    throw unknownTask(id, 'a task of BabyAI', 'GoToLocal/17');
  }
  return { level, seed };
}

/** Throws if the generator never ends with this seed. */
export function drawTask({ level, seed }: Task): GeneratedLevel {
  try {
    return generateLevel(level, new NumpyGenerator(seed));
  } catch (error) {
    if (!(error instanceof EndlessLevelError)) throw error;
    throw new Error(
      `the level of ${level.name}/${seed} cannot be made, and the original never ends here either: ${error.message}. ` +
        'Take another seed.',
      { cause: error },
    );
  }
}

/** What is known of a task without playing it. */
export interface KnownTask {
  readonly facts: TaskFacts;
  /** The oracle solves it within the level's limit of steps. */
  readonly isSolvable: boolean;
}

/** Undefined where the seed gives no level. */
export function examineTask(task: Task, rules: Rules): KnownTask | undefined {
  let start: GeneratedLevel;
  try {
    start = drawTask(task);
  } catch {
    return undefined;
  }
  const { name, kind, settings } = task.level;
  const { roomSize, rows, columns } = settings;
  const { instruction } = start;
  const form =
    instruction instanceof Sequence ? instruction.conjunction : instruction instanceof Both ? 'and' : undefined;
  const facts = {
    cluster: clusterOf(name, start),
    labels: {
      level: name,
      group: kind.group,
      rooms: rows * columns,
      roomSize,
      instruction: form ?? instruction.commands[0]?.verb ?? '',
      commands: instruction.commands.length,
    },
  };
  const plan = solve(new GridWorld(start, rules));
  return { facts, isSolvable: plan !== undefined && plan.length <= start.maxSteps };
}

/** Equal for two seeds exactly if they give the same start. */
function clusterOf(name: string, { grid, x, y, direction, mission }: GeneratedLevel): string {
  const contents = grid.cells.map((thing) => thing?.content?.code ?? 0).filter(Boolean);
  return digestOf(JSON.stringify([name, mission, x, y, direction, contents]), grid.encode());
}
