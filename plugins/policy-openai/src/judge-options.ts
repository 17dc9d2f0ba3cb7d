import type { OptionFinding, OptionsDeclaration, OptionsOf } from '@agentgym/cli';

import { options, validateBody } from './options.js';

const { concurrency, extraBody, keyVariable, retries, seed, timeoutSeconds } = options;

export const judgeOptions = {
  model: { type: 'string', default: null, description: 'Name of the model that judges; it must be set' },
  address: {
    type: 'string',
    default: null,
    description:
      'Where its server is, such as http://localhost:8000/v1; the environment variable JUDGE_BASE_URL replaces it',
    resumable: true,
  },
  rubric: {
    type: 'string',
    default: 'Did the agent do what these rules ask for, without needless turns?\n\n{rules}',
    description:
      'What is judged. {task}, {rules}, {references} and {outcome} in it stand for the id of the task, its rules, its right answers, and whether it was solved',
  },
  best: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    default: 10,
    description: 'Best score that the model may give; the worst is 0. The term pays the share of it',
  },
  maxTokens: { type: 'integer', minimum: 1, default: 512, description: 'Tokens after which an answer is cut' },
  answers: {
    type: 'integer',
    minimum: 1,
    maximum: 10,
    default: 3,
    description: 'Answers to ask for until one can be read as a score',
  },
  recordCharacters: {
    type: 'integer',
    minimum: 100,
    default: 24_000,
    description: 'Longest record of an episode that is sent; the middle of a longer one is left out',
  },
  extraBody,
  seed,
  keyVariable: { ...keyVariable, resumable: true },
  concurrency: {
    ...concurrency,
    description: 'Episodes that are judged at the same time, each with one request',
    resumable: true,
  },
  timeoutSeconds: { ...timeoutSeconds, resumable: true },
  retries: { ...retries, resumable: true },
} as const satisfies OptionsDeclaration;

export type JudgeOptions = OptionsOf<typeof judgeOptions>;

/** No model, a body that is none, and an address that is none. */
export function validateJudge({ address, model, extraBody: body }: JudgeOptions): readonly OptionFinding[] {
  const findings: OptionFinding[] = [];
  if (model === null || model === '') {
    const hint = 'Write the name that the server lists under /v1/models.';
    findings.push({ path: ['model'], message: 'model is not set', hint });
  }
  if (address !== null && !/^https?:\/\/[^\s/]/.test(address)) {
    findings.push({
      path: ['address'],
      message: 'address is not a URL',
      hint: 'Write it as http://localhost:8000/v1.',
    });
  }
  return [...findings, ...validateBody(body, own)];
}

/** Where members of a request are set that differ from those of players. */
const own = {
  messages: 'the option rubric',
  temperature: 'temperature 0, at which judges answer,',
  top_p: 'temperature 0, at which judges answer,',
  seed: 'the option seed',
  n: 'the option answers',
};
