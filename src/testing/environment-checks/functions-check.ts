import type { Environment } from '../../contracts/environment.js';
import type { FunctionDefinition } from '../../contracts/function-calls.js';
import type { Json } from '../../contracts/json.js';
import { isUnavailable } from '../../errors/is-unavailable.js';
import { messageOf } from '../../errors/message-of.js';
import { argumentProblem } from '../../rollout/check-arguments.js';
import { checkFunctions, checkToolResult, refuseRepeatedNames } from '../../rollout/check-answers.js';
import { callOfJson } from '../../rollout/text-calls.js';
import { jsonDifference } from '../json-difference.js';
import { shorten } from '../shorten.js';
import { freshDraw, reset } from './call-environment.js';
import { type EnvironmentCheck, type EnvironmentContext, onInstance } from './environment-context.js';
import { isWellFormed } from './play-episode.js';

/** Calls of each tool. */
const tried = 20;

/** Values of each type that a policy may write. */
const strange: { readonly [type: string]: readonly Json[] } = {
  string: ['', 'apple', '-1', 'x'.repeat(10_000), '<|im_end|>', '\ud83d', '../..', '__proto__'],
  number: [0, -1, 0.5, 1e308],
  integer: [0, -1, 7, 2 ** 53],
  boolean: [true, false],
  array: [[], ['a'], [[[]]]],
  object: [{}, { a: 1 }],
  null: [null],
};

/** Arguments that the host lets pass: in each turn others. Members that are not required are missing now and then. */
function argumentsOf({ parameters }: FunctionDefinition, turn: number): { readonly [name: string]: Json } {
  const { properties = {}, required = [] } = parameters as {
    readonly properties?: { readonly [name: string]: { readonly type?: string | string[]; readonly enum?: Json[] } };
    readonly required?: readonly string[];
  };
  const members = Object.entries(properties).flatMap(([name, schema], place): [string, Json][] => {
    if (!required.includes(name) && turn % 3 === 0) return [];
    const { type = 'string', enum: choices } = schema;
    const values = choices ?? [type].flat().flatMap((one) => strange[one] ?? [null]);
    return [[name, values[(turn + place) % values.length] as Json]];
  });
  return Object.fromEntries(members);
}

/** Calls all tools on one instance, and answers what came of it. */
async function callAll(context: EnvironmentContext, environment: Environment): Promise<Record<string, unknown>> {
  const { random, tasks, world } = context;
  const [task = ''] = tasks;
  const answers: Record<string, unknown> = {};
  const { tools: offered } = await reset(environment, task, random.stream('environment', task));
  for (const tool of (world.tools ?? []).filter(({ name }) => offered?.includes(name) ?? true)) {
    for (let turn = 0; turn < tried; turn += 1) {
      const values = argumentsOf(tool, turn);
      const draw = freshDraw(random.stream('call', tool.name, turn));
      const where = `${tool.name} of ${shorten(JSON.stringify(values))}, call ${turn + 1}`;
      answers[where] = checkToolResult(await environment.call!(tool.name, values, draw), tool.name);
    }
  }
  return answers;
}

/** Checks what a world declares as functions, and how its instances answer calls. */
export const functionsCheck: EnvironmentCheck = {
  id: 'functions',
  title: 'declared functions are valid, call() answers whatever fits their schema, and players act by calls',
  cure: 'Answer mistakes of the agent with `{ output, failed: true }`, draw only from the stream of the call, and let act() return `{"name": ..., "arguments": {...}}`.',
  idle: ({ world }) =>
    (world.tools ?? []).length + (world.actions ?? []).length === 0 ? 'it declares no functions' : undefined,
  async run(context) {
    const { contribution, randomEpisodes, world } = context;
    const { tools = [], actions = [] } = world;
    try {
      refuseRepeatedNames([...checkFunctions(tools, 'tools'), ...checkFunctions(actions, 'actions')]);
    } catch (error) {
      return messageOf(error);
    }
    if (tools.length > 0 && contribution !== undefined && contribution.tools !== true)
      return 'the contribution does not declare `tools: true`';
    const played = randomEpisodes.flatMap(({ turns }) => turns.map(({ action }) => action));
    const wrong = played.find((action) => {
      const call = callOfJson(action);
      const known = actions.find(({ name }) => name === call?.name);
      return (
        call === undefined || known === undefined || argumentProblem(call.arguments, known.parameters) !== undefined
      );
    });
    if (actions.length > 0 && wrong !== undefined)
      return `act() of the player random returns ${shorten(wrong)}, which is no call of an action`;
    if (tools.length === 0) return undefined;
    try {
      const [first, second] = [
        await onInstance(context, (environment) => callAll(context, environment)),
        await onInstance(context, (environment) => callAll(context, environment)),
      ];
      const ill = Object.entries(first).find(([, answer]) => !isWellFormed((answer as { output: string }).output));
      if (ill !== undefined) return `${ill[0]} gets an answer with half a surrogate pair`;
      const difference = world.external === true ? undefined : jsonDifference(first, second);
      return difference && `in another instance the answers differ: ${difference}`;
    } catch (error) {
      if (isUnavailable(error)) throw error;
      return `a call threw: ${messageOf(error)}`;
    }
  },
};
