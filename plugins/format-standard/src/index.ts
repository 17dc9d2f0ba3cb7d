import type { FormatContribution } from '@agentgym/cli';

import {
  boxedOptions,
  checkFunctionName,
  checkLanguage,
  checkTag,
  codeBlockOptions,
  functionCallingOptions,
  jsonOptions,
  plainOptions,
  reactOptions,
  tagsOptions,
} from './options.js';

export default [
  {
    kind: 'format',
    name: 'plain',
    summary: 'The whole text is the action',
    options: plainOptions,
    load: () => import('./plain.js'),
  } satisfies FormatContribution<typeof plainOptions>,
  {
    kind: 'format',
    name: 'boxed',
    summary: 'The last \\boxed{...} is the action, as in GEM',
    options: boxedOptions,
    load: () => import('./boxed.js'),
  } satisfies FormatContribution<typeof boxedOptions>,
  {
    kind: 'format',
    name: 'tags',
    summary: 'Thoughts and the action in tags, as in RAGEN and verl-agent',
    options: tagsOptions,
    validate: checkTag,
    load: () => import('./tags.js'),
  } satisfies FormatContribution<typeof tagsOptions>,
  {
    kind: 'format',
    name: 'react',
    summary: 'Thought, and the action after the last "Action:", as in AgentGym',
    options: reactOptions,
    load: () => import('./react.js'),
  } satisfies FormatContribution<typeof reactOptions>,
  {
    kind: 'format',
    name: 'function-calling',
    summary: "The action is the argument of a function call, in the model's own syntax if it has one",
    options: functionCallingOptions,
    validate: checkFunctionName,
    load: () => import('./function-calling.js'),
  } satisfies FormatContribution<typeof functionCallingOptions>,
  {
    kind: 'format',
    name: 'code-block',
    summary: 'The last fenced block is the action; it is never evaluated',
    options: codeBlockOptions,
    validate: checkLanguage,
    load: () => import('./code-block.js'),
  } satisfies FormatContribution<typeof codeBlockOptions>,
  {
    kind: 'format',
    name: 'json',
    summary: 'One JSON object with the action',
    options: jsonOptions,
    load: () => import('./json.js'),
  } satisfies FormatContribution<typeof jsonOptions>,
];
