import type { Random, StepResult, TaskSource, World } from '@agentgym/cli';

// A task is the interval in which a number is hidden, such as `4-9`. A seed decides the number.
const tasks = Array.from({ length: 65 }, (_, i) => {
  const low = 1 + Math.floor(i / 5);
  return `${low}-${low + 3 + (i % 5)}`;
});

// Every fifth interval is for validation, every fifth for testing. Each split has intervals of every length.
function split(keep: (rest: number) => boolean): TaskSource {
  const ids = tasks.filter((_, i) => keep((i + Math.floor(i / 5)) % 5));
  return { count: ids.length, id: (index) => ids[index] ?? '', random: (random) => random.choice(ids) };
}

/** What the worlds of this package have in common. */
export const guessingGame = {
  instructions: 'Guess the hidden number. Each turn, write one action: a whole number.',
  splits: {
    train: split((rest) => rest > 1),
    validation: split((rest) => rest === 0),
    test: split((rest) => rest === 1),
  },
  experts: ['oracle', 'demonstrator'],
  maxTurns: 4,
} satisfies Partial<World>;

/** How a game begins. */
export interface Opening {
  readonly low: number;
  readonly high: number;
  /** Decides what is random in the game: drawn here, so that the game has no random numbers of its own. */
  readonly seed: number;
}

/** The state of a game, as its process reports it. */
export interface Position {
  readonly observation: string;
  /** The numbers that are still possible. */
  readonly low: number;
  readonly high: number;
  readonly success: boolean;
  readonly invalid: boolean;
  readonly over: boolean;
}

/** Reads a task. Throws if there is no such task. */
export function openingOf(task: string, random: Random): Opening {
  if (!tasks.includes(task)) throw new Error(`there is no task ${task.slice(0, 40)}`);
  const [low = 0, high = 0] = task.split('-').map(Number);
  return { low, high, seed: random.integer(0, 1_000_000) };
}

/** The question of an action. An agent may write megabytes, and a guess has at most three digits. */
export const guessOf = (action: string) => ({ guess: action.slice(0, 8) });

export function stepResult({ observation, success, invalid, over }: Position): StepResult {
  return { observation, reward: Number(success), terminated: over, truncated: false, facts: { success, invalid } };
}

/** The next guess of a player: the oracle halves, the demonstrator takes any number that is still possible. */
export function nextGuess(player: string, random: Random, opening: Opening, { low, high }: Position): string {
  if (player === 'random') return String(random.integer(opening.low, opening.high + 1));
  if (player === 'demonstrator') return String(random.integer(low, high + 1));
  if (player === 'oracle') return String(Math.floor((low + high) / 2));
  throw new Error(`there is no player ${player}`);
}
