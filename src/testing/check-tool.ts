import type { Tool } from '../contracts/tool.js';
import { createRandom } from '../random/create-random.js';
import { declareKit, findingsOf, runKit, type KitReport } from './conformance-kit.js';
import type { DeclareTest } from './declare-test.js';
import { malformedActions } from './environment-checks/malformed-actions.js';
import type { Finding } from './finding.js';
import { requireMembers } from './require-members.js';
import { testEnvironmentHost } from './test-host.js';
import { quietly } from './quietly.js';
import { readingChecks } from './tool-checks/reading-checks.js';
import { runningChecks } from './tool-checks/running-checks.js';
import type { ToolCheckSettings, ToolSubject } from './tool-checks/tool-context.js';

export const toolChecks = [...readingChecks, ...runningChecks];

/** Texts that are not calls: usual actions and observations of environments, and thoughts about them. */
const usualOthers = [
  '',
  '17',
  'higher',
  'higher, 20 to 31',
  'Guess my number between 17 and 37. You have 5 turns.',
  'get 2 oak planks',
  'craft 4 oak planks using 1 oak log',
  'Inventory: [stick] (4)',
  'go north',
  'search[who wrote "Emma"?]',
  'I should use the tool for 2 + 2.',
  '<think>2 + 2 is 4</think><action>4</action>',
  '\\boxed{4}',
  'Thought: none\nAction: open <box>',
  '{"thought": "none", "function_name": "guess", "arguments": {"number": 4}}',
];

/** Checks a tool against its contract and reports the outcome of each check. */
export async function examineTool<Options>(
  subject: ToolSubject<Options>,
  settings: ToolCheckSettings = {},
): Promise<KitReport> {
  const random = createRandom(settings.seed ?? 0);
  const made: Tool[] = [];
  const create = async (): Promise<Tool> => {
    const tool = await subject.create(subject.options, testEnvironmentHost());
    requireMembers('create()', tool, {
      instructions: 'string',
      example: 'string',
      parse: 'function',
      begin: 'function',
    });
    made.push(tool);
    return tool;
  };
  const checks = await runKit(toolChecks, settings, async () => {
    const tool = await create();
    const calls = [tool.example, ...(settings.calls ?? [])];
    function* texts(): Generator<string> {
      const stream = random.stream('texts');
      for (const { text } of malformedActions(stream, settings.texts ?? 1_000, () => stream.choice(calls))) yield text;
    }
    return {
      tool,
      create,
      external: subject.contribution?.external ?? false,
      calls,
      others: [...usualOthers, ...(settings.others ?? [])],
      texts,
      random,
      millisecondsPerText: 1_000 * (settings.secondsPerText ?? 2),
      millisecondsPerCall: 1_000 * (settings.secondsPerCall ?? 10),
    };
  });
  for (const tool of made) await quietly(() => tool.dispose?.());
  return { checks };
}

/**
 * Checks a tool against its contract and returns findings with their usual causes. The list is empty if all checks
 * pass.
 */
export async function checkTool<Options>(
  subject: ToolSubject<Options>,
  settings: ToolCheckSettings = {},
): Promise<Finding[]> {
  return findingsOf(await examineTool(subject, settings));
}

/** Declares the kit as tests, one for each check. `it` is the function of the test runner. */
export function describeTool<Options>(
  it: DeclareTest,
  subject: ToolSubject<Options>,
  settings: ToolCheckSettings = {},
): void {
  declareKit(it, toolChecks, settings, () => checkTool(subject, settings));
}
